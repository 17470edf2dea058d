package dev.tenon.id.spi;

/**
 * How the numbers of a sequence run: {@code start}, {@code start + step}, … up to {@code max}.
 *
 * @param start the first number, 0 or more
 * @param step from one number to the next, 1 to {@value #STEP_MAX}
 * @param max no number is greater, {@code start} or more
 */
public record RangeDefinition(long start, long step, long max) {
    /** The greatest step. */
    public static final long STEP_MAX = 1L << 31;

    /** 1, 2, 3, … without a limit but that of a {@code long}. */
    public static final RangeDefinition DEFAULT = new RangeDefinition(1, 1, Long.MAX_VALUE);

    public RangeDefinition {
        if (start < 0) {
            throw new IllegalArgumentException("Start must be 0 or more: " + start);
        }
        if (step < 1 || step > STEP_MAX) {
            throw new IllegalArgumentException("Step must be between 1 and " + STEP_MAX + ": " + step);
        }
        if (max < start) {
            throw new IllegalArgumentException("Max (" + max + ") is less than start (" + start + ")");
        }
    }
}
