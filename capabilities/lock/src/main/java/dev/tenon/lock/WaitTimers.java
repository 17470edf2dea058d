package dev.tenon.lock;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The two alarms of one wait: when to ask again, and when to give up. Thread-safe. */
final class WaitTimers {
    private final ScheduledExecutorService timer;
    private final Runnable timerIsClosed;
    private volatile @Nullable Future<?> recheck;
    private volatile @Nullable Future<?> timeout;

    WaitTimers(ScheduledExecutorService timer, Runnable timerIsClosed) {
        this.timer = timer;
        this.timerIsClosed = timerIsClosed;
    }

    /** Sets when to ask again, in place of what was set before. */
    void recheckAfter(long nanos, Runnable step) {
        cancel(recheck);
        recheck = after(nanos, step);
    }

    /** Sets when to give up. */
    void timeoutAfter(long nanos, Runnable step) {
        timeout = after(nanos, step);
    }

    boolean hasTimeout() {
        return timeout != null;
    }

    void cancel() {
        cancel(recheck);
        cancel(timeout);
    }

    private @Nullable Future<?> after(long nanos, Runnable step) {
        try {
            return timer.schedule(step, Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            timerIsClosed.run();
            return null;
        }
    }

    private static void cancel(@Nullable Future<?> armed) {
        if (armed != null) {
            armed.cancel(false);
        }
    }
}
