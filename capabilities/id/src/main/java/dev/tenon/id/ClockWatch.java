package dev.tenon.id;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Spares a busy generator most of its clock readings. Reading the clock takes several times as long as issuing an ID,
 * so while this is on, one reading allows a <em>run</em> of some IDs, or a block of them for one thread ({@link
 * Stripe}); and this thread ends whatever is left of a run after a millisecond, and makes the owner of a block look at
 * the clock, so that nothing outlives the reading that it rests on. It starts when IDs come fast and ends when they do
 * not: a generator that is not busy reads the clock for each ID and has no thread.
 */
final class ClockWatch {
    /** How many IDs one reading allows. */
    static final int RUN = 256;

    private static final Duration PERIOD = Duration.ofMillis(1);
    private static final long BUSY_PER_MILLI = 2 * RUN;
    private static final long NANOS_PER_MILLI = PERIOD.toNanos();
    private static final int IDLE_PASSES_MAX = 100;

    private final TimeSource time;
    private final Supplier<HeldSlot> slot;
    private final Runnable afterwards;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean on;

    // Counted without synchronization: a lost count makes a busy generator look a little less so.
    private long readings;
    private long runsUsedUp;
    private long countedFrom;

    /**
     * @param afterwards what to do when this ends
     */
    ClockWatch(TimeSource time, Supplier<HeldSlot> slot, Runnable afterwards) {
        this.time = time;
        this.slot = slot;
        this.afterwards = afterwards;
        this.countedFrom = time.nanoTime();
    }

    /** Called after an ID was issued upon a reading of the clock: allows a run up to {@code ceiling} if this is on. */
    void issued(HeldSlot held, long ceiling) {
        if (!on) {
            readings++;
            return;
        }
        if (held.ceiling() != HeldSlot.NO_RUN) {
            runsUsedUp++;
        }
        held.allowRun(ceiling);
        if (!on) {
            held.endRun(); // this thread was held up, and the watch ended meanwhile: no other thread would end the run
        }
    }

    /** Whether one reading of the clock may do for more than one ID. To be asked after the pulse was read. */
    boolean on() {
        return on;
    }

    /** Called when a thread has issued a whole block. */
    void blockUsedUp() {
        runsUsedUp++;
    }

    /** Called about once a millisecond while IDs are issued: starts this if there were many. */
    void consider(long nanos) {
        long elapsed = nanos - countedFrom;
        long issued = readings;
        readings = 0;
        countedFrom = nanos;
        boolean busy = issued * NANOS_PER_MILLI >= elapsed * BUSY_PER_MILLI;
        // A clock that a test moves is read for every ID: no thread of ours would keep its pace.
        if (busy && !on && time == TimeSource.system() && started.compareAndSet(false, true)) {
            DaemonThreads.of("tenon-clock-watch", this::watch).start();
        }
    }

    private void watch() {
        begin();
        try {
            long seen = runsUsedUp;
            for (int idle = 0; idle < IDLE_PASSES_MAX; ) {
                time.park(PERIOD);
                runOnce();
                long now = runsUsedUp;
                idle = now == seen ? idle + 1 : 0;
                seen = now;
            }
        } finally {
            end();
            started.set(false);
        }
    }

    void begin() {
        on = true;
    }

    /** One pass: ends the run, and calls the blocks in. */
    void runOnce() {
        HeldSlot held = slot.get();
        held.endRun();
        held.pulse().beat();
    }

    void end() {
        on = false;
        runOnce(); // a thread that was still told that this is on had read the pulse before this beat
        afterwards.run();
    }
}
