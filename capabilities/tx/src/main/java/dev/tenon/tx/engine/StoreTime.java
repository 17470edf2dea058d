package dev.tenon.tx.engine;

import dev.tenon.TimeSource;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time of a log, which is asked for it now and then and counted on by the monotonic clock in between: a claim then
 * costs no question of its own. It is never behind by more than what the clocks have drifted apart since; a log whose
 * clock jumps lets claims be too long or too short for that long, which the epoch makes harmless. Thread-safe.
 */
final class StoreTime {
    private static final Duration ASK_EVERY = Duration.ofSeconds(10);

    /** An answer that took longer may be that much ahead. */
    private static final Duration SURE_WITHIN = Duration.ofSeconds(1);

    private final TransactionStore store;
    private final TimeSource time;
    private volatile @Nullable Reading last;

    private record Reading(Instant now, long nanos) {}

    StoreTime(TransactionStore store, TimeSource time) {
        this.store = store;
        this.time = time;
    }

    Instant now() {
        long nanos = time.nanoTime();
        Reading reading = last;
        if (reading == null || nanos - reading.nanos() > ASK_EVERY.toNanos()) {
            // Stamped with the time before the question: rather ahead than behind, so that no claim ends early.
            reading = new Reading(store.now(), nanos);
            boolean quick = time.nanoTime() - nanos < SURE_WITHIN.toNanos();
            last = quick ? reading : null;
        }
        return reading.now().plusNanos(nanos - reading.nanos());
    }
}
