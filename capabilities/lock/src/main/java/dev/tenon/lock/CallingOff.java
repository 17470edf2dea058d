package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Takes a request out of the queue, or gives back what it was granted: again and again while the store can't be
 * reached, until it has answered, or what it may have granted is over anyway. Thread-safe.
 */
final class CallingOff {
    private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private final Locks locks;
    private final Cancel request;
    private final long untilNanos;
    private final LongFunction<CompletionStage<?>> giveBack;

    /**
     * @param untilNanos when the request can hold nothing any more
     * @param giveBack releases what was granted under that token
     */
    CallingOff(Locks locks, Cancel request, long untilNanos, LongFunction<CompletionStage<?>> giveBack) {
        this.locks = locks;
        this.request = request;
        this.untilNanos = untilNanos;
        this.giveBack = giveBack;
    }

    /** The stage is that of the first attempt. */
    CompletionStage<Object> begin() {
        return attempt(PAUSE_NANOS_MIN);
    }

    private CompletionStage<Object> attempt(long pause) {
        return locks.store()
                .cancel(request)
                .<Object>thenCompose(answer -> answer instanceof Cancelled.WasGranted granted
                        ? giveBack.apply(granted.token()).thenApply(done -> done)
                        : CompletableFuture.completedFuture(List.of()))
                .whenComplete((done, failure) -> {
                    if (failure != null && isPassing(Locks.unchecked(failure))) {
                        later(pause);
                    }
                });
    }

    private static boolean isPassing(RuntimeException cause) {
        return cause instanceof BackendUnavailableException || cause instanceof OutcomeUnknownException;
    }

    private void later(long pause) {
        if (untilNanos - locks.time().nanoTime() <= 0) {
            return;
        }
        try {
            locks.timers().schedule(() -> attempt(Math.min(2 * pause, PAUSE_NANOS_MAX)), pause, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            // These locks are closed: what the request may have been granted ends with its lease.
        }
    }
}
