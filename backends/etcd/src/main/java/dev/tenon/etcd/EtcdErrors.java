package dev.tenon.etcd;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import io.grpc.Status;
import java.util.Objects;

/** Says what a failed call means for the caller: did something happen in etcd, or not? */
final class EtcdErrors {
    /** The only one of etcd's own "unavailable" that it says before it has proposed anything. */
    private static final String NO_LEADER = "etcdserver: no leader";

    private EtcdErrors() {}

    /**
     * @param sent whether the request may have left this process
     * @param harmless whether the call changes nothing that anybody could notice
     */
    static TenonException translate(Status status, String address, boolean sent, boolean harmless) {
        String said = status.getCode() + ": " + Objects.requireNonNullElse(status.getDescription(), "no details");
        Throwable cause = status.asRuntimeException();
        if (!sent) {
            return new BackendUnavailableException("etcd at " + address + " can't be reached: " + said, cause);
        }
        if (refused(status)) {
            return new BackendUnavailableException("etcd at " + address + " refuses: " + said, cause);
        }
        String message = "etcd at " + address + " did not answer: " + said;
        return harmless ? new BackendUnavailableException(message, cause) : new OutcomeUnknownException(message, cause);
    }

    /** Whether a token has run out, or was given out before the users were changed. */
    static boolean needsLogin(Status status) {
        return status.getCode() == Status.Code.UNAUTHENTICATED || says(status, "revision of auth store is old");
    }

    private static boolean refused(Status status) {
        return switch (status.getCode()) {
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    PERMISSION_DENIED,
                    FAILED_PRECONDITION,
                    OUT_OF_RANGE,
                    UNIMPLEMENTED,
                    UNAUTHENTICATED -> true;
            // gRPC's own, for a reply that is too large, comes after the request was carried out.
            case RESOURCE_EXHAUSTED -> says(status, "etcdserver:");
            case UNAVAILABLE -> NO_LEADER.equals(status.getDescription());
            default -> false;
        };
    }

    private static boolean says(Status status, String text) {
        return Objects.requireNonNullElse(status.getDescription(), "").contains(text);
    }
}
