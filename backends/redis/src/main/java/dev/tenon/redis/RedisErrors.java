package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;

/** Says what a failure of the driver means for the caller: did something happen in the store, or not? */
final class RedisErrors {
    /**
     * Refusals that come before a script's first write, at the top of a reply or inside that of a failed script: what
     * is refused later would have been refused at the first write already.
     */
    private static final Pattern NOTHING_DONE = Pattern.compile("(^|[ -])(READONLY|LOADING|OOM|MISCONF|MASTERDOWN|BUSY"
            + "|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|NOAUTH|NOPERM|WRONGPASS)\\b");

    /** The driver's own refusals to send; it has no exception types of their own for these. */
    private static final Pattern NOT_SENT =
            Pattern.compile("^(Currently not connected|Connection is closed|Request queue size exceeded)");

    private RedisErrors() {}

    static TenonException translate(Throwable failure, String address) {
        Throwable cause = unwrap(failure);
        if (cause instanceof TenonException known) {
            return known;
        }
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof RedisCommandExecutionException) {
            String advice = message.startsWith("MOVED ") && !address.contains("-cluster:")
                    ? " (it is a node of a cluster: redis-cluster://…)"
                    : "";
            return NOTHING_DONE.matcher(message).find()
                    ? new BackendUnavailableException("Redis at " + address + " refuses: " + message + advice, cause)
                    : new TenonException("Redis at " + address + " failed: " + message, cause);
        }
        if (cause instanceof RedisConnectionException
                || cause instanceof RedisException && NOT_SENT.matcher(message).find()) {
            return new BackendUnavailableException("Redis at " + address + " can't be reached: " + message, cause);
        }
        return new OutcomeUnknownException("Redis at " + address + " did not answer: " + message, cause);
    }

    static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = String.valueOf(root.getMessage());
        // The driver closes the connection when Redis refuses the password, and now and then reports only the closing.
        return message.contains("closed prematurely") ? message + " (is the password right? TLS?)" : message;
    }

    /** The failure itself, without what futures wrap round it. */
    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
