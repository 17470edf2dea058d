package dev.tenon.id.spi;

/**
 * Numbers that belong to their claimant alone: {@code first}, {@code first + step}, …, {@code count} of them.
 *
 * @param first the least
 * @param count how many, 1 to {@value #COUNT_MAX}
 * @param step from one to the next, 1 or more
 */
public record IdRange(long first, long count, long step) {
    /** The most numbers in one range. */
    public static final long COUNT_MAX = 1L << 31;

    public IdRange {
        requireCount(count);
        if (first < 0 || step < 1) {
            throw new IllegalArgumentException("Not a range: first " + first + ", step " + step);
        }
        Math.addExact(first, Math.multiplyExact(count - 1, step)); // ArithmeticException: the range leaves 63 bits
    }

    /** The greatest number. */
    public long last() {
        return first + (count - 1) * step;
    }

    /** Returns {@code count} if a range may have that many numbers. */
    public static long requireCount(long count) {
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException("Count must be between 1 and " + COUNT_MAX + ": " + count);
        }
        return count;
    }
}
