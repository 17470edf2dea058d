package dev.tenon.id.standard;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Spares a busy generator most of its clock readings, which take longer than making a UUID: while this is on, one
 * reading allows a <em>run</em> of some UUIDs, and this thread ends whatever is left of a run after a millisecond, so
 * that no run outlives the reading that it rests on. It starts when UUIDs come fast and ends when they do not: a
 * generator that is not busy reads the clock for each and has no thread.
 */
final class RunWatch {
    /** How many UUIDs one reading allows. */
    static final int RUN = 256;

    private static final long NO_RUN = Long.MIN_VALUE;
    private static final Duration PERIOD = Duration.ofMillis(1);
    private static final int BUSY_PER_MILLI = 2 * RUN;
    private static final int IDLE_PASSES_MAX = 100;

    private final TimeSource time;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile long ceiling = NO_RUN;
    private volatile boolean on;

    // Counted without synchronization: a lost count makes a busy generator look a little less so.
    private int readings;
    private long countedFor;
    private long runs;

    RunWatch(TimeSource time) {
        this.time = time;
    }

    /** Up to which place UUIDs may follow each other without a reading of the clock. */
    long ceiling() {
        return ceiling;
    }

    /** Called after the UUID at {@code place} was issued upon a reading of the clock. */
    void issued(long millis, long place) {
        if (!on) {
            count(millis);
            return;
        }
        runs++;
        ceiling = place + RUN;
        if (!on) {
            ceiling =
                    NO_RUN; // this thread was held up, and the watch ended meanwhile: no other thread would end the run
        }
    }

    private void count(long millis) {
        if (millis != countedFor) {
            countedFor = millis;
            readings = 0;
        } else if (++readings >= BUSY_PER_MILLI
                // A clock that a test moves is read for every UUID: no thread of ours would keep its pace.
                && time == TimeSource.system()
                && started.compareAndSet(false, true)) {
            DaemonThreads.of("tenon-uuid-clock", this::watch).start();
        }
    }

    private void watch() {
        on = true;
        try {
            long seen = runs;
            for (int idle = 0; idle < IDLE_PASSES_MAX; ) {
                time.park(PERIOD);
                ceiling = NO_RUN;
                long now = runs;
                idle = now == seen ? idle + 1 : 0;
                seen = now;
            }
        } finally {
            on = false;
            ceiling = NO_RUN;
            started.set(false);
        }
    }
}
