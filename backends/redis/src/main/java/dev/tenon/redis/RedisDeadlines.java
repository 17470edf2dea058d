package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ends calls that get no answer. All calls have one timeout, so that a queue in the order of sending is also in that of
 * the deadlines, and a call costs no timer of its own: a timer a call would wake a second thread on each. Thread-safe.
 */
final class RedisDeadlines implements AutoCloseable {
    private final Queue<Pending<?>> pending = new ConcurrentLinkedQueue<>();
    private final TimeSource time;
    private final Duration timeout;
    private final String address;
    private volatile boolean closed;

    /** @param address who does not answer, for messages */
    RedisDeadlines(TimeSource time, Duration timeout, String address) {
        this.time = time;
        this.timeout = timeout;
        this.address = address;
    }

    /**
     * A future that {@link #runOnce} ends when the timeout has passed from now.
     *
     * @param onTimeout run after that
     */
    <T> CompletableFuture<T> start(Runnable onTimeout) {
        Pending<T> call = new Pending<>(time.nanoTime() + timeout.toNanos(), onTimeout);
        pending.add(call);
        if (closed && pending.remove(call)) {
            call.completeExceptionally(
                    new BackendUnavailableException("The connections to Redis at " + address + " are closed"));
        }
        return call;
    }

    /** Forgets the calls that are done and ends those that are out of time. One thread at a time. */
    void runOnce() {
        long now = time.nanoTime();
        for (Pending<?> call = pending.peek(); call != null; call = pending.peek()) {
            if (!call.isDone()) {
                if (call.deadlineNanos - now > 0) {
                    return;
                }
                call.completeExceptionally(
                        new OutcomeUnknownException("Redis at " + address + " did not answer within " + timeout));
                call.onTimeout.run();
            }
            pending.remove(call); // it is the first, unless all were ended meanwhile
        }
    }

    /**
     * Ends every call that has no answer, and those that come later: the driver has been closed, and may have dropped
     * what was on its way without a word.
     */
    @Override
    public void close() {
        closed = true;
        for (Pending<?> call = pending.poll(); call != null; call = pending.poll()) {
            call.completeExceptionally(new OutcomeUnknownException(
                    "The connections to Redis at " + address + " were closed before it answered"));
        }
    }

    private static final class Pending<T> extends CompletableFuture<T> {
        private final long deadlineNanos;
        private final Runnable onTimeout;

        Pending(long deadlineNanos, Runnable onTimeout) {
            this.deadlineNanos = deadlineNanos;
            this.onTimeout = onTimeout;
        }
    }
}
