package dev.tenon.server.http;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.ClockMovedBackwardsException;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.raft.StateFullException;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.UnknownTransactionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** What each exception of Tenon is on the wire. */
final class Problems {
    private Problems() {}

    /** The problem that a failure is. */
    static ProblemException of(@Nullable Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof ProblemException problem) {
            return problem;
        }
        if (cause instanceof WorkerIdsForgottenException forgotten) {
            return new ProblemException(
                    ProblemType.IDS_UNAVAILABLE,
                    forgotten.getMessage() + ". Nothing happened: try again then.",
                    forgotten.retryAfter());
        }
        ProblemType type = typeOf(cause);
        String detail = type == ProblemType.INTERNAL || cause == null || cause.getMessage() == null
                ? "Internal error; see the server's log."
                : cause.getMessage() + advice(type);
        return new ProblemException(type, detail);
    }

    private static String advice(ProblemType type) {
        return switch (type) {
            case RANGE_EXHAUSTED -> ". Define another name, with numbers left.";
            case STORE_UNAVAILABLE, IDS_UNAVAILABLE -> ". Nothing happened: try again later.";
            case SEQUENCE_REGRESSED -> ". The command: ./tenon id raise NAME.";
            case OUTCOME_UNKNOWN ->
                ". It may have happened: repeat the same request, an acquire with the same requestId.";
            case TOO_MUCH_STATE -> " (--max-state-size).";
            default -> ".";
        };
    }

    private static ProblemType typeOf(@Nullable Throwable cause) {
        if (cause instanceof IllegalArgumentException) {
            return ProblemType.BAD_REQUEST;
        }
        if (cause instanceof BackendUnavailableException) {
            return ProblemType.STORE_UNAVAILABLE;
        }
        if (cause instanceof OutcomeUnknownException) {
            return ProblemType.OUTCOME_UNKNOWN;
        }
        if (cause instanceof DefinitionConflictException) {
            return ProblemType.DEFINITION_CONFLICT;
        }
        if (cause instanceof UnknownCodeException) {
            return ProblemType.UNKNOWN_CODE;
        }
        if (cause instanceof RangeExhaustedException) {
            return ProblemType.RANGE_EXHAUSTED;
        }
        if (cause instanceof WorkerIdsExhaustedException
                || cause instanceof ClockMovedBackwardsException
                || cause instanceof MisconfiguredCodeException
                || cause instanceof LeaseLostException) {
            return ProblemType.IDS_UNAVAILABLE;
        }
        if (cause instanceof UnknownTransactionException) {
            return ProblemType.UNKNOWN_TRANSACTION;
        }
        if (cause instanceof TransactionConflictException) {
            return ProblemType.TRANSACTION_CONFLICT;
        }
        if (cause instanceof TransactionAbortedException) {
            return ProblemType.TRANSACTION_ABORTED;
        }
        if (cause instanceof SequenceRegressedException) {
            return ProblemType.SEQUENCE_REGRESSED;
        }
        if (cause instanceof StateFullException) {
            return ProblemType.TOO_MUCH_STATE;
        }
        if (cause instanceof RejectedExecutionException) {
            return ProblemType.OVERLOADED;
        }
        return ProblemType.INTERNAL;
    }
}
