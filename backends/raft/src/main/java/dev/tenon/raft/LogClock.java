package dev.tenon.raft;

import dev.tenon.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time that a leader writes into the log. It begins where the wall clock stands, or where the log stands if that is
 * later, and goes on by the monotonic clock alone: a step of the wall clock changes nothing until the next start, and
 * never takes the time of the log back. Thread-safe.
 */
final class LogClock {
    private final TimeSource time;
    private final Instant base;
    private final long baseNanos;

    /**
     * @param latest time in the log so far
     */
    LogClock(TimeSource time, Instant latest) {
        this.time = time;
        Instant wall = time.now();
        this.base = wall.isAfter(latest) ? wall : latest;
        this.baseNanos = time.nanoTime();
    }

    /** In whole microseconds. */
    Instant now() {
        return base.plusNanos(time.nanoTime() - baseNanos).truncatedTo(ChronoUnit.MICROS);
    }
}
