package dev.tenon.id;

import dev.tenon.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;

/**
 * Where the time of a layout stands, as a position: the wall clock when it was last looked at, carried on by the
 * monotonic one, which is cheaper to read and does not jump. Thread-safe.
 */
final class PositionClock {
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** The two clocks are read together if no more than this passes between them. */
    private static final long TOGETHER_NANOS = 100_000;

    private static final int TOGETHER_TRIES = 4;
    /**
     * At the rate limit, how long to sleep at a time: long enough to be cheap, short enough to be far below the
     * borrow.
     */
    private static final long SLEEP_NANOS = 5 * NANOS_PER_MILLI;

    /** How long the wall clock may go unseen in a wait for it. */
    private static final long SLEEP_NANOS_MAX = 100 * NANOS_PER_MILLI;

    private static final long MILLIS_MAX = Long.MAX_VALUE / NANOS_PER_MILLI - 1;

    private final IdLayout layout;
    private final TimeSource time;
    private final int sequenceBits;
    private final long maxTick;
    private final long unitNanos;
    private final long reciprocal;

    /** What to add to monotonic time to get nanoseconds since the layout's epoch. */
    private volatile long offset;

    /**
     * @throws IllegalArgumentException if the layout's epoch is in the future
     */
    PositionClock(IdLayout layout, TimeSource time) {
        if (time.epochMillis() < layout.epochMillis()) {
            throw new IllegalArgumentException(
                    "The layout's epoch is in the future: it is " + time.now() + ", and the layout " + layout);
        }
        this.layout = layout;
        this.time = time;
        this.sequenceBits = layout.sequenceBits();
        this.maxTick = layout.maxTick();
        this.unitNanos = layout.unitMillis() * NANOS_PER_MILLI;
        this.reciprocal = Long.divideUnsigned(-1, unitNanos) + 1;
    }

    /** Monotonic time. */
    long nanoTime() {
        return time.nanoTime();
    }

    /** The first position of the unit of time at that monotonic time. */
    long position(long nanos) {
        long sinceEpoch = nanos + offset;
        // A multiplication in place of a division: it may come out one too high, never too low.
        long tick = Math.multiplyHigh(sinceEpoch, reciprocal);
        if (tick * unitNanos > sinceEpoch) {
            tick--;
        }
        return Math.min(tick, maxTick) << sequenceBits;
    }

    /**
     * Reads the wall clock, and corrects the extrapolation if it lies outside the millisecond that was read.
     *
     * @throws RangeExhaustedException if the layout has expired
     */
    void anchor() {
        long before = time.nanoTime();
        long millis = time.epochMillis();
        for (int i = 1; i < TOGETHER_TRIES && time.nanoTime() - before > TOGETHER_NANOS; i++) {
            before = time.nanoTime();
            millis = time.epochMillis();
        }
        long sinceEpoch = Math.max(-MILLIS_MAX, Math.min(MILLIS_MAX, millis - layout.epochMillis()));
        if (sinceEpoch / layout.unitMillis() > maxTick) {
            throw expired();
        }
        long low = sinceEpoch * NANOS_PER_MILLI;
        long high = low + NANOS_PER_MILLI - 1;
        long guess = before + offset;
        if (guess < low) {
            offset += low - guess;
        } else if (guess > high) {
            offset -= guess - high;
        }
    }

    RangeExhaustedException expired() {
        return new RangeExhaustedException("The layout ended at " + layout.expiry() + ": " + layout);
    }

    /** Tells the log if the layout expires within that time. */
    void warnOfExpiry(Duration ahead) {
        Instant now = time.now();
        if (layout.expiresWithin(ahead, now)) {
            System.getLogger(SnowflakeGenerator.class.getName())
                    .log(Level.WARNING, layout.expiryReport(now) + ": plan for a layout that begins later");
        }
    }

    /**
     * Waits until the clock is {@code ticks} units further, or a little longer where that saves waking up often.
     *
     * @param borrowTicks how far ahead of the clock IDs may be
     */
    void park(long nanos, long ticks, long borrowTicks) {
        long intoUnit = Math.floorMod(nanos + offset, unitNanos);
        long least = ticks * unitNanos - intoUnit;
        long sleep = Math.max(least, Math.min(SLEEP_NANOS, borrowTicks * unitNanos / 4));
        long until = nanos + Math.min(sleep, SLEEP_NANOS_MAX);
        boolean interrupted = false;
        for (long left = until - nanos; left > 0; left = until - time.nanoTime()) {
            time.park(Duration.ofNanos(left));
            interrupted |= Thread.interrupted(); // an interrupted thread would not park, but spin
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A duration in units of the layout, rounded up. */
    long ticks(Duration duration) {
        return Math.floorDiv(duration.toMillis() + layout.unitMillis() - 1, layout.unitMillis());
    }
}
