package dev.tenon.id;

/**
 * How many numbers the next segment should have: the rate at which those since the last purchase were used, times the
 * target, within the policy's bounds. Not thread-safe; it belongs to the fetching thread.
 */
final class SegmentSizing {
    /** A segment is at most so many times its predecessor, or a short burst would buy for a long one. */
    private static final long GROWTH_MAX = 8;

    private final SegmentPolicy policy;
    private long size;
    private long boughtNanos;
    private long leftWhenBought;

    SegmentSizing(SegmentPolicy policy) {
        this.policy = policy;
    }

    /** The size of the first segment. */
    long first() {
        return policy.sizeMin();
    }

    /**
     * The size of a later one.
     *
     * @param count of the last segment
     * @param left of it
     * @param nanos when that was so: now, or when nothing was left
     */
    long next(long count, long left, long nanos) {
        double used = (double) leftWhenBought + count - left;
        double passed = Math.max(1, nanos - boughtNanos);
        double wanted = used / passed * policy.target().toNanos();
        long grown = Math.min(size, policy.sizeMax() / GROWTH_MAX + 1) * GROWTH_MAX;
        return Math.max(policy.sizeMin(), Math.min(policy.sizeMax(), (long) Math.min(grown, wanted)));
    }

    /**
     * Remembers a purchase.
     *
     * @param wanted how many were asked for
     * @param left of the segment before
     * @param nanos when it was asked for
     */
    void bought(long wanted, long left, long nanos) {
        size = wanted;
        leftWhenBought = left;
        boughtNanos = nanos;
    }
}
