package dev.tenon.tx;

import java.time.Duration;
import java.util.Objects;

/**
 * When a transaction that does not get on is reported as stuck: in listings, metrics, its history, and once in the log.
 * It goes on all the same: what is decided is called for ever. Whichever comes first counts. Immutable.
 *
 * @param calls after how many calls of one branch that failed, 1 to 1 000 000
 * @param time after how long, since the first call that failed; 1 ms to 365 days
 */
public record StuckAfter(int calls, Duration time) {
    private static final int CALLS_MAX = 1_000_000;
    private static final Duration TIME_MAX = Duration.ofDays(365);

    /** Ten calls, or five minutes. */
    public static final StuckAfter DEFAULT = new StuckAfter(10, Duration.ofMinutes(5));

    /**
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public StuckAfter {
        Objects.requireNonNull(time, "time");
        if (calls < 1 || calls > CALLS_MAX) {
            throw new IllegalArgumentException("A transaction is stuck after 1 to 1000000 calls, not " + calls);
        }
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(TIME_MAX) > 0) {
            throw new IllegalArgumentException("A transaction is stuck after 1 ms to 365 days, not " + time);
        }
    }

    /** Whether so many calls, or so much time, are enough. */
    public boolean isOver(int made, Duration passed) {
        return made >= calls || passed.compareTo(time) >= 0;
    }
}
