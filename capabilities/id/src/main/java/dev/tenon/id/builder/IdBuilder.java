package dev.tenon.id.builder;

/**
 * Unique IDs by code, in the two styles of the ID-builder service. What is promised, and when a call fails, says the
 * implementation: {@link LocalIdBuilder}. Thread-safe.
 */
public interface IdBuilder {
    /** Seconds of peak load in a segment that is sized by the service's rule: four fail-overs of a minute. */
    int SECONDS_IN_A_SEGMENT = 4 * 60;

    /**
     * A number of the code, in an order that can't be guessed: each number of a segment once, segments ascending.
     *
     * @param code the key of its row
     */
    long unionId(int code);

    /**
     * The next number of the code: ascending, and without gaps within a segment.
     *
     * @param code the key of its row
     */
    long unionSeqId(int code);

    /**
     * As {@link #unionId}, as text: the code's {@code biz_code}, the machine index and the number, with nothing
     * between.
     */
    String unionIdStr(int code);

    /** As {@link #unionSeqId}, as text, in the same form. */
    String unionSeqIdStr(int code);

    /**
     * The {@code step} for a code by the service's rule: peak rate × 60 s × 4.
     *
     * @param peakRate IDs of the code in a second at the peak, from all instances together, 1 or more
     * @throws IllegalArgumentException if the column can't hold so much (a peak above 8.9 million a second)
     */
    static int stepForPeak(long peakRate) {
        if (peakRate < 1 || peakRate > Integer.MAX_VALUE / SECONDS_IN_A_SEGMENT) {
            throw new IllegalArgumentException("Peak must be between 1 and " + Integer.MAX_VALUE / SECONDS_IN_A_SEGMENT
                    + " IDs a second: " + peakRate);
        }
        return (int) peakRate * SECONDS_IN_A_SEGMENT;
    }
}
