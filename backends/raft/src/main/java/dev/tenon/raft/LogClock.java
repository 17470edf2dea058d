package dev.tenon.raft;

import dev.tenon.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time that a leader writes into the log. It begins where the log stands and goes on by the monotonic clock alone,
 * so a wall clock that is wrong, or is set, changes nothing, on whichever node. Thread-safe.
 */
final class LogClock {
    private final TimeSource time;
    private final Instant base;
    private final long baseNanos;

    private LogClock(TimeSource time, Instant base, long baseNanos) {
        this.time = time;
        this.base = base;
        this.baseNanos = baseNanos;
    }

    /**
     * For a node that is alone. While it was down, time went on: it begins where the wall clock stands, or where the
     * log stands if that is later.
     *
     * @param latest time in the log so far
     */
    static LogClock ofOneNode(TimeSource time, Instant latest) {
        Instant wall = time.now();
        return new LogClock(time, wall.isAfter(latest) ? wall : latest, time.nanoTime());
    }

    /**
     * For one of several nodes, which takes over from another. Less time has passed here since the latest entry was
     * applied than on the node that wrote it: so no lease ends early. A wall clock is not asked, as each node has
     * another one; while all nodes are down, time stands still.
     *
     * @param latest time in the log so far
     * @param seenNanos when it was applied here, by {@link TimeSource#nanoTime}
     */
    static LogClock ofCluster(TimeSource time, Instant latest, long seenNanos) {
        return new LogClock(time, latest, seenNanos);
    }

    /** In whole microseconds. */
    Instant now() {
        return base.plusNanos(time.nanoTime() - baseNanos).truncatedTo(ChronoUnit.MICROS);
    }
}
