package dev.tenon.redis;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Ends calls that get no answer. All calls have one timeout, so that a queue in the order of sending is also in that of
 * the deadlines, and a call costs no timer of its own: a timer a call would wake a second thread on each. Thread-safe.
 */
final class RedisDeadlines {
    private final Queue<Pending<?>> pending = new ConcurrentLinkedQueue<>();
    private final TimeSource time;
    private final long timeoutNanos;
    private final Consumer<CompletableFuture<?>> onTimeout;

    /**
     * @param onTimeout told of each call that is out of time; ends it
     */
    RedisDeadlines(TimeSource time, Duration timeout, Consumer<CompletableFuture<?>> onTimeout) {
        this.time = time;
        this.timeoutNanos = timeout.toNanos();
        this.onTimeout = onTimeout;
    }

    /** A future that {@link #runOnce} ends when the timeout has passed from now. */
    <T> CompletableFuture<T> start() {
        Pending<T> call = new Pending<>(time.nanoTime() + timeoutNanos);
        pending.add(call);
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
                onTimeout.accept(call);
            }
            pending.poll();
        }
    }

    private static final class Pending<T> extends CompletableFuture<T> {
        private final long deadlineNanos;

        Pending(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }
    }
}
