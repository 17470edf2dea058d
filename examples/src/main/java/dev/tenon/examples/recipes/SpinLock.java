package dev.tenon.examples.recipes;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Tries to get a lock again and again, within a time limit. It makes a waiting lock of any that can only be tried. */
final class SpinLock {
    private final TimeSource time;
    private final Pauses pauses;

    SpinLock(TimeSource time, Pauses pauses) {
        this.time = time;
        this.pauses = pauses;
    }

    // tag::spin[]
    /** False: the time is over. */
    boolean tryLock(BooleanSupplier attempt, Duration limit) throws InterruptedException {
        long deadline = time.nanoTime() + limit.toNanos();
        for (int attempts = 1; !attempt.getAsBoolean(); attempts++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long left = deadline - time.nanoTime();
            if (left <= 0) {
                return false;
            }
            Duration pause = pauses.after(attempts);
            time.park(pause.toNanos() < left ? pause : Duration.ofNanos(left)); // and a last try at the very end
        }
        return true;
    }
    // end::spin[]
}
