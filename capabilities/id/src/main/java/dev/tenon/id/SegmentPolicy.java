package dev.tenon.id;

import dev.tenon.id.spi.IdRange;
import java.time.Duration;

/**
 * How a segment generator buys numbers from its store. Immutable.
 *
 * @param sizeMin the least numbers to take at a time, 1 or more
 * @param sizeMax the most numbers to take at a time, up to {@link IdRange#COUNT_MAX}
 * @param target how long a segment should last at the rate of the one before; between the bounds above, size follows
 *     from it. An outage of the store as long as this goes unnoticed, and a crash wastes up to twice its use
 * @param prefetchAt the share of a segment that is left when the next one is fetched, more than 0 and at most 1
 * @param waitMax how long a call waits when there is no number at hand
 */
public record SegmentPolicy(long sizeMin, long sizeMax, Duration target, double prefetchAt, Duration waitMax) {
    private static final Duration DURATION_MAX = Duration.ofDays(1);
    private static final int OUTAGES = 4;
    private static final double PREFETCH_FOR_PEAK = 0.3;

    /**
     * Segments of 100 to 10 million numbers that last for a second; the next one at 15 %; calls wait up to 5 seconds.
     */
    public static final SegmentPolicy DEFAULT =
            new SegmentPolicy(100, 10_000_000, Duration.ofSeconds(1), 0.15, Duration.ofSeconds(5));

    public SegmentPolicy {
        IdRange.requireCount(sizeMin);
        IdRange.requireCount(sizeMax);
        if (sizeMin > sizeMax) {
            throw new IllegalArgumentException(
                    "The least size (" + sizeMin + ") is above the greatest (" + sizeMax + ")");
        }
        if (target.isZero() || target.isNegative() || target.compareTo(DURATION_MAX) > 0) {
            throw new IllegalArgumentException("Target must be more than 0 and at most a day: " + target);
        }
        if (!(prefetchAt > 0 && prefetchAt <= 1)) {
            throw new IllegalArgumentException("Prefetch must be at more than 0 and at most 1: " + prefetchAt);
        }
        if (waitMax.isNegative() || waitMax.compareTo(DURATION_MAX) > 0) {
            throw new IllegalArgumentException("Wait must be between 0 and a day: " + waitMax);
        }
    }

    /** Segments of always the same size; else as {@link #DEFAULT}. */
    public static SegmentPolicy ofStep(long step) {
        return DEFAULT.withSize(step, step);
    }

    /**
     * The field's sizing rule, for a store that may be away for {@code outage} at full load without one call noticing:
     * segments of always four times what is used in that time at the peak. The next one is fetched at {@value
     * #PREFETCH_FOR_PEAK} of that and not at the 15 % that often goes with the rule: what is left when an outage begins
     * must last for all of it, and 15 % of four times is 0.6 of it.
     *
     * @param peakRate the most IDs that one generator issues in a second
     * @param outage how long the store may be away, such as the 60 seconds of a database's fail-over; up to six hours
     * @throws IllegalArgumentException if that would be more than {@link IdRange#COUNT_MAX} numbers
     */
    public static SegmentPolicy forPeak(long peakRate, Duration outage) {
        if (peakRate < 1) {
            throw new IllegalArgumentException("Peak must be 1 ID a second or more: " + peakRate);
        }
        if (outage.isZero()
                || outage.isNegative()
                || outage.multipliedBy(OUTAGES).compareTo(DURATION_MAX) > 0) {
            throw new IllegalArgumentException("Outage must be more than 0 and at most 6 hours: " + outage);
        }
        double size = Math.ceil((double) peakRate * OUTAGES * outage.toMillis() / 1000);
        if (size > IdRange.COUNT_MAX) {
            throw new IllegalArgumentException("Segments of " + peakRate + " IDs a second for " + OUTAGES + " times "
                    + outage + " would have more than " + IdRange.COUNT_MAX + " numbers");
        }
        return ofStep(Math.max(1, (long) size))
                .withTarget(outage.multipliedBy(OUTAGES))
                .withPrefetchAt(PREFETCH_FOR_PEAK);
    }

    /** The same with other bounds of size. */
    public SegmentPolicy withSize(long min, long max) {
        return new SegmentPolicy(min, max, target, prefetchAt, waitMax);
    }

    /** The same with segments that last for another time. */
    public SegmentPolicy withTarget(Duration value) {
        return new SegmentPolicy(sizeMin, sizeMax, value, prefetchAt, waitMax);
    }

    /** The same with another time to prefetch. */
    public SegmentPolicy withPrefetchAt(double value) {
        return new SegmentPolicy(sizeMin, sizeMax, target, value, waitMax);
    }

    /** The same with another limit on waiting. */
    public SegmentPolicy withWaitMax(Duration value) {
        return new SegmentPolicy(sizeMin, sizeMax, target, prefetchAt, value);
    }
}
