package dev.tenon.lock.engine;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The two timers of one wait: when to ask again, and when to give up. Used in the decisions of one {@link Wait}, one at
 * a time.
 */
public final class WaitTimers {
    private final ScheduledExecutorService timer;
    private @Nullable Future<?> recheck;
    private @Nullable Future<?> timeout;

    /** Nothing is set yet; {@code timer} runs what is due. */
    public WaitTimers(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /**
     * Sets when to ask again, in place of what was set before.
     *
     * @return false if the timer is closed
     */
    public boolean recheckAfter(Duration delay, Runnable step) {
        cancelRecheck();
        recheck = after(delay, step);
        return recheck != null;
    }

    /**
     * Sets when to give up, in place of what was set before.
     *
     * @return false if the timer is closed
     */
    public boolean timeoutAfter(Duration delay, Runnable step) {
        timeout = after(delay, step);
        return timeout != null;
    }

    /** Whether it was set when to give up. */
    public boolean hasTimeout() {
        return timeout != null;
    }

    /** Doesn't ask again. */
    public void cancelRecheck() {
        if (recheck != null) {
            recheck.cancel(false);
        }
    }

    /** Neither asks again nor gives up. */
    public void cancel() {
        cancelRecheck();
        if (timeout != null) {
            timeout.cancel(false);
        }
    }

    private @Nullable Future<?> after(Duration delay, Runnable step) {
        try {
            return timer.schedule(step, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            return null;
        }
    }
}
