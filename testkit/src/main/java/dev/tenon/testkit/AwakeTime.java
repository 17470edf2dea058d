package dev.tenon.testkit;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How long something takes, without the moments in which the machine stood still, or had no processor to spare. For
 * bounds that say that a call ends in time: that it comes back before {@code n} timeouts are over can be judged only by
 * a clock that stops when nobody runs. A lower bound needs no such clock.
 *
 * <p>One thread looks at the clock all the while; what it comes later than it should counts as standstill. Thread-safe.
 */
public final class AwakeTime {
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** So late that it was not the timer: nothing ran, or so much that it does not matter what. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Watch WATCH = Watch.start();

    private final long start = WATCH.awakeNanos();

    private AwakeTime() {}

    /** Begins to measure. */
    public static AwakeTime start() {
        return new AwakeTime();
    }

    /** Since the start. */
    public Duration elapsed() {
        return Duration.ofNanos(WATCH.awakeNanos() - start);
    }

    private static final class Watch {
        private final ReentrantLock guard = new ReentrantLock();
        private long lookedNanos = System.nanoTime();
        private long stoodStillNanos;

        static Watch start() {
            Watch watch = new Watch();
            DaemonThreads.of("tenon-awake-time", watch::look).start();
            return watch;
        }

        private void look() {
            try {
                while (true) {
                    awakeNanos();
                    TimeUnit.NANOSECONDS.sleep(LOOK_EVERY_NANOS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** A clock that stops when nobody runs. */
        long awakeNanos() {
            guard.lock();
            try {
                long now = System.nanoTime();
                long late = now - lookedNanos - LOOK_EVERY_NANOS;
                if (late > LATE_NANOS) {
                    stoodStillNanos += late;
                }
                lookedNanos = now;
                return now - stoodStillNanos;
            } finally {
                guard.unlock();
            }
        }
    }
}
