package dev.tenon.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.id.ClockMovedBackwardsException;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.protocol.Reason;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Objects;

/** What a server's failure is here: one exception for each {@link Reason}. */
final class ClientErrors {
    private static final String DOMAIN = "tenon";
    private static final Duration RETRY_DEFAULT = Duration.ofSeconds(1);

    private ClientErrors() {}

    /** What the server says of a call; {@link Reason#REASON_UNSPECIFIED} if it was not the server that ended it. */
    static Reason reason(Status status, Metadata trailers) {
        com.google.rpc.Status details = StatusProto.fromStatusAndTrailers(status, trailers);
        for (Any detail : details.getDetailsList()) {
            try {
                if (detail.is(ErrorInfo.class)) {
                    ErrorInfo info = detail.unpack(ErrorInfo.class);
                    return info.getDomain().equals(DOMAIN) ? known(info.getReason()) : Reason.REASON_UNSPECIFIED;
                }
            } catch (InvalidProtocolBufferException e) {
                return Reason.REASON_UNSPECIFIED;
            }
        }
        // These are the server's, too: the method is not there, or the request too large, before anything has happened.
        return status.getCode() == Status.Code.UNIMPLEMENTED ? Reason.REASON_INTERNAL : Reason.REASON_UNSPECIFIED;
    }

    private static Reason known(String name) {
        for (Reason reason : Reason.values()) {
            if (reason.name().equals("REASON_" + name)) {
                return reason;
            }
        }
        return Reason.REASON_INTERNAL; // a newer server: whatever it means, the server has said it
    }

    /** When the server says to try again; in a second, if it does not say. */
    private static Duration retryAfter(Status status, Metadata trailers) {
        for (Any detail : StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList()) {
            try {
                if (detail.is(RetryInfo.class)) {
                    return TimeMessages.duration(detail.unpack(RetryInfo.class).getRetryDelay());
                }
            } catch (InvalidProtocolBufferException e) {
                break;
            }
        }
        return RETRY_DEFAULT;
    }

    /** The exception for a reason. */
    static RuntimeException of(Reason reason, Status status, Metadata trailers, String server) {
        String said = said(status);
        return switch (reason) {
            case REASON_BAD_ARGUMENT, REASON_NOT_FOUND -> new IllegalArgumentException(said);
            case REASON_UNAVAILABLE, REASON_OVERLOADED ->
                new BackendUnavailableException("The server at " + server + " can't do it now: " + said);
            case REASON_OUTCOME_UNKNOWN -> new OutcomeUnknownException(said);
            case REASON_DEFINITION_CONFLICT -> new DefinitionConflictException(said);
            case REASON_RANGE_EXHAUSTED -> new RangeExhaustedException(said);
            case REASON_WORKER_IDS_EXHAUSTED -> new WorkerIdsExhaustedException(said);
            case REASON_WORKER_IDS_FORGOTTEN -> new WorkerIdsForgottenException(said, retryAfter(status, trailers));
            case REASON_WORKER_ID_TAKEN -> new WorkerIdTakenException(said);
            case REASON_SEQUENCE_REGRESSED -> new SequenceRegressedException(said);
            case REASON_CLOCK_MOVED_BACKWARDS -> new ClockMovedBackwardsException(said);
            case REASON_LEASE_LOST -> new LeaseLostException(said);
            case REASON_UNKNOWN_CODE -> new UnknownCodeException(said);
            case REASON_MISCONFIGURED_CODE -> new MisconfiguredCodeException(said);
            case REASON_REFUSED, REASON_WRONG_KIND ->
                new TenonException("The server at " + server + " refuses: " + said);
            default -> new TenonException("The server at " + server + " failed: " + said);
        };
    }

    /** What the call's end on the way means. */
    static TenonException onTheWay(Status status, String server, boolean mayHaveHappened) {
        String said = status.getCode() + ": " + said(status);
        Throwable cause = status.getCause();
        return mayHaveHappened
                ? new OutcomeUnknownException("The server at " + server + " did not answer: " + said, cause)
                : new BackendUnavailableException("The server at " + server + " can't be reached: " + said, cause);
    }

    private static String said(Status status) {
        return Objects.requireNonNullElse(status.getDescription(), "no details");
    }
}
