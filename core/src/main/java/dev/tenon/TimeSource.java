package dev.tenon;

import java.time.Duration;
import java.time.Instant;

/**
 * Both clocks that Tenon reads, and the one way in which it waits for time to pass. Everything that depends on time
 * takes one, so that tests drive it with {@link ManualClock}. Implementations are thread-safe.
 */
public interface TimeSource {
    /** Wall-clock time. It may jump either way. */
    Instant now();

    /** Wall-clock time in milliseconds since 1970-01-01T00:00:00Z, without allocating. It may jump either way. */
    long epochMillis();

    /** Monotonic time in nanoseconds from an arbitrary origin, as {@link System#nanoTime()}. It never goes back. */
    long nanoTime();

    /**
     * Parks the calling thread until {@code atMost} has passed on the monotonic clock, or less: it may return early,
     * and does so at once if the thread is interrupted (the interrupt status stays set).
     */
    void park(Duration atMost);

    /** The clocks of this machine. */
    static TimeSource system() {
        return SystemTime.INSTANCE;
    }
}
