package dev.tenon.testkit.duplicates;

import dev.tenon.TimeSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * True time, and the clocks of processes that show it wrongly. Time passes when the thread of the hunt lets it pass,
 * when it parks, and a little with each reading: who spins until the next millisecond gets there.
 */
final class SimulatedTime {
    /** So many readings in a row are taken for a spin that waits for long, and time then flies. */
    private static final int SPIN = 10_000;

    private static final long READING_NANOS = 1_000;
    private static final long FLYING_NANOS = 10_000_000;
    private static final Duration NAP = Duration.ofMillis(1);

    private final Instant start;
    private final Thread driver = Thread.currentThread();
    private final AtomicLong nanos = new AtomicLong();
    private int readings;
    private volatile boolean over;

    SimulatedTime(Instant start) {
        this.start = start;
    }

    /** True time. */
    Instant now() {
        return start.plusNanos(nanos.get());
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Something was achieved: readings from here on are not a spin. */
    void progress() {
        readings = 0;
    }

    /** Lets threads that a generator left behind find an end to their waits. */
    void end() {
        over = true;
    }

    private void reading() {
        if (Thread.currentThread() == driver) {
            nanos.addAndGet(++readings > SPIN ? FLYING_NANOS : READING_NANOS);
        }
    }

    /** The clocks of one process. */
    final class Clocks implements TimeSource {
        private volatile Duration error = Duration.ZERO;

        void step(Duration by) {
            error = error.plus(by);
        }

        @Override
        public Instant now() {
            reading();
            return SimulatedTime.this.now().plus(error);
        }

        @Override
        public long epochMillis() {
            return now().toEpochMilli();
        }

        @Override
        public long nanoTime() {
            reading();
            return nanos.get();
        }

        @Override
        public void park(Duration atMost) {
            if (Thread.currentThread() == driver) {
                pass(atMost);
                return;
            }
            long until = nanos.get() + atMost.toNanos();
            do {
                LockSupport.parkNanos(this, NAP.toNanos());
            } while (!over && nanos.get() < until && !Thread.currentThread().isInterrupted());
        }

        Clock wall() {
            return new WallClock(this, ZoneOffset.UTC);
        }
    }

    private static final class WallClock extends Clock {
        private final Clocks clocks;
        private final ZoneId zone;

        private WallClock(Clocks clocks, ZoneId zone) {
            this.clocks = clocks;
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new WallClock(clocks, other);
        }

        @Override
        public Instant instant() {
            return clocks.now();
        }
    }
}
