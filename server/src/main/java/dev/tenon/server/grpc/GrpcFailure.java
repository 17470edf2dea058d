package dev.tenon.server.grpc;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.id.ClockMovedBackwardsException;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.protocol.Reason;
import dev.tenon.raft.StateFullException;
import dev.tenon.server.problem.ProblemException;
import io.grpc.Status.Code;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What a failure is on the wire: one {@link Reason} for each exception that the service provider interfaces throw.
 *
 * @param reason what it means for the caller
 * @param grpc the status beside it, for callers who know no more
 * @param message for people
 * @param retryAfter when the same call can succeed, where that is known
 */
record GrpcFailure(Reason reason, Code grpc, String message, Optional<Duration> retryAfter) {
    /** The trailer with the details. */
    static final String DETAILS = "grpc-status-details-bin";

    /** What clients take of headers holds the message twice, percent-encoded once: what it quotes is cut. */
    private static final int MESSAGE_MAX = 400;

    private static final String DOMAIN = "tenon";
    private static final String PREFIX = "REASON_";

    private static final int PRINTABLE_FIRST = 0x20;
    private static final int PRINTABLE_LAST = 0x7e;
    private static final int BYTE = 0xff;

    GrpcFailure {
        message = message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX - 1) + "…";
    }

    GrpcFailure(Reason reason, Code grpc, String message) {
        this(reason, grpc, message, Optional.empty());
    }

    /** What a failure is. */
    static GrpcFailure of(@Nullable Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof ProblemException problem) {
            return of(problem);
        }
        if (cause instanceof NotServedException unknown) {
            return new GrpcFailure(Reason.REASON_UNSPECIFIED, Code.UNIMPLEMENTED, String.valueOf(unknown.getMessage()));
        }
        GrpcFailure known = known(cause);
        return known == null
                ? new GrpcFailure(
                        Reason.REASON_INTERNAL,
                        Code.INTERNAL,
                        "Something went wrong that should not; the log of the server has it.")
                : known;
    }

    private static @Nullable GrpcFailure known(@Nullable Throwable cause) {
        if (cause == null) {
            return null;
        }
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof IllegalArgumentException) {
            return new GrpcFailure(Reason.REASON_BAD_ARGUMENT, Code.INVALID_ARGUMENT, message);
        }
        if (cause instanceof BackendUnavailableException) {
            return new GrpcFailure(Reason.REASON_UNAVAILABLE, Code.UNAVAILABLE, message);
        }
        if (cause instanceof OutcomeUnknownException) {
            return new GrpcFailure(Reason.REASON_OUTCOME_UNKNOWN, Code.UNKNOWN, message);
        }
        if (cause instanceof RejectedExecutionException || cause instanceof StateFullException) {
            return new GrpcFailure(Reason.REASON_OVERLOADED, Code.RESOURCE_EXHAUSTED, message);
        }
        return ofIds(cause, message);
    }

    private static @Nullable GrpcFailure ofIds(Throwable cause, String message) {
        if (cause instanceof DefinitionConflictException) {
            return new GrpcFailure(Reason.REASON_DEFINITION_CONFLICT, Code.ALREADY_EXISTS, message);
        }
        if (cause instanceof RangeExhaustedException) {
            return new GrpcFailure(Reason.REASON_RANGE_EXHAUSTED, Code.OUT_OF_RANGE, message);
        }
        if (cause instanceof WorkerIdsExhaustedException) {
            return new GrpcFailure(Reason.REASON_WORKER_IDS_EXHAUSTED, Code.RESOURCE_EXHAUSTED, message);
        }
        if (cause instanceof WorkerIdTakenException) {
            return new GrpcFailure(Reason.REASON_WORKER_ID_TAKEN, Code.ALREADY_EXISTS, message);
        }
        if (cause instanceof WorkerIdsForgottenException forgotten) {
            return new GrpcFailure(
                    Reason.REASON_WORKER_IDS_FORGOTTEN, Code.UNAVAILABLE, message, Optional.of(forgotten.retryAfter()));
        }
        if (cause instanceof SequenceRegressedException) {
            return new GrpcFailure(Reason.REASON_SEQUENCE_REGRESSED, Code.FAILED_PRECONDITION, message);
        }
        if (cause instanceof ClockMovedBackwardsException) {
            return new GrpcFailure(Reason.REASON_CLOCK_MOVED_BACKWARDS, Code.FAILED_PRECONDITION, message);
        }
        if (cause instanceof MisconfiguredCodeException) {
            return new GrpcFailure(Reason.REASON_MISCONFIGURED_CODE, Code.FAILED_PRECONDITION, message);
        }
        if (cause instanceof LeaseLostException) {
            return new GrpcFailure(Reason.REASON_LEASE_LOST, Code.FAILED_PRECONDITION, message);
        }
        return null;
    }

    private static GrpcFailure of(ProblemException problem) {
        String message = String.valueOf(problem.getMessage());
        return switch (problem.type()) {
            case DEFINITION_CONFLICT ->
                new GrpcFailure(Reason.REASON_DEFINITION_CONFLICT, Code.ALREADY_EXISTS, message);
            case RANGE_EXHAUSTED -> new GrpcFailure(Reason.REASON_RANGE_EXHAUSTED, Code.OUT_OF_RANGE, message);
            case SEQUENCE_REGRESSED ->
                new GrpcFailure(Reason.REASON_SEQUENCE_REGRESSED, Code.FAILED_PRECONDITION, message);
            case UNKNOWN_CODE -> new GrpcFailure(Reason.REASON_UNKNOWN_CODE, Code.NOT_FOUND, message);
            case NO_TRANSACTIONS -> new GrpcFailure(Reason.REASON_WRONG_KIND, Code.FAILED_PRECONDITION, message);
            case OVERLOADED -> new GrpcFailure(Reason.REASON_OVERLOADED, Code.RESOURCE_EXHAUSTED, message);
            case BODY_TOO_LARGE -> new GrpcFailure(Reason.REASON_BAD_ARGUMENT, Code.RESOURCE_EXHAUSTED, message);
            case REQUEST_TIMEOUT -> new GrpcFailure(Reason.REASON_UNAVAILABLE, Code.UNAVAILABLE, message);
            default -> byStatus(problem.type().status(), message);
        };
    }

    private static GrpcFailure byStatus(int status, String message) {
        return switch (status) {
            case 401 -> new GrpcFailure(Reason.REASON_REFUSED, Code.UNAUTHENTICATED, message);
            case 403 -> new GrpcFailure(Reason.REASON_REFUSED, Code.PERMISSION_DENIED, message);
            case 404, 421 -> new GrpcFailure(Reason.REASON_NOT_FOUND, Code.NOT_FOUND, message);
            case 409 -> new GrpcFailure(Reason.REASON_WRONG_KIND, Code.FAILED_PRECONDITION, message);
            case 429 -> new GrpcFailure(Reason.REASON_OVERLOADED, Code.RESOURCE_EXHAUSTED, message);
            case 503 -> new GrpcFailure(Reason.REASON_UNAVAILABLE, Code.UNAVAILABLE, message);
            case 504 -> new GrpcFailure(Reason.REASON_OUTCOME_UNKNOWN, Code.UNKNOWN, message);
            default ->
                status >= 500
                        ? new GrpcFailure(Reason.REASON_INTERNAL, Code.INTERNAL, message)
                        : new GrpcFailure(Reason.REASON_BAD_ARGUMENT, Code.INVALID_ARGUMENT, message);
        };
    }

    /** The time that the client has set is over. Whether anything happened is not told, as it is not known here. */
    static GrpcFailure late() {
        return new GrpcFailure(
                Reason.REASON_UNSPECIFIED, Code.DEADLINE_EXCEEDED, "The time that grpc-timeout allows is over");
    }

    boolean isInternal() {
        return reason == Reason.REASON_INTERNAL;
    }

    /** The number of the gRPC status. */
    int code() {
        return grpc.value();
    }

    /** The status that the same failure has over HTTP. */
    int httpStatus() {
        return switch (grpc) {
            case INVALID_ARGUMENT -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE -> 409;
            case RESOURCE_EXHAUSTED, UNAVAILABLE -> 503;
            case UNKNOWN, DEADLINE_EXCEEDED -> 504;
            case UNIMPLEMENTED -> 404;
            default -> 500;
        };
    }

    /** Whether it has details: what a client can't tell from the status alone. */
    boolean hasDetails() {
        return reason != Reason.REASON_UNSPECIFIED;
    }

    /** The message as a header carries it: what is not printable ASCII as the percent-encoded bytes of its UTF-8. */
    String encodedMessage() {
        StringBuilder encoded = new StringBuilder();
        for (byte b : message.getBytes(StandardCharsets.UTF_8)) {
            if (b >= PRINTABLE_FIRST && b <= PRINTABLE_LAST && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append("%%%02X".formatted(b & BYTE));
            }
        }
        return encoded.toString();
    }

    /** The details as a header carries them. */
    String details() {
        ErrorInfo info = ErrorInfo.newBuilder()
                .setDomain(DOMAIN)
                .setReason(reason.name().substring(PREFIX.length()))
                .build();
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder()
                .setCode(code())
                .setMessage(message)
                .addDetails(Any.pack(info));
        retryAfter.ifPresent(delay -> status.addDetails(Any.pack(RetryInfo.newBuilder()
                .setRetryDelay(TimeMessages.message(delay))
                .build())));
        return Base64.getEncoder()
                .withoutPadding()
                .encodeToString(status.build().toByteArray());
    }
}
