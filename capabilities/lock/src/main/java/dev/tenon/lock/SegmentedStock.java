package dev.tenon.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A stock that is split over the stripes of a {@link StripedLock}, so that buyers of one thing do not all wait for one
 * lock: a buyer takes from the segment of its key, and from the next ones in turn when that has too little. How much
 * each segment has is kept where the service keeps it ({@link Segments}).
 *
 * <p>Nothing is sold twice as long as {@link Segments#take} refuses a token smaller than one that it has seen for the
 * segment. A quantity comes out of one segment: the remains of several are not put together, so make segments much
 * larger than orders. Segments without enough are passed over without their lock. Thread-safe.
 */
public final class SegmentedStock {
    private final Locks locks;
    private final StripedLock segmentLocks;
    private final Segments segments;

    SegmentedStock(Locks locks, StripedLock segmentLocks, Segments segments) {
        this.locks = locks;
        this.segmentLocks = segmentLocks;
        this.segments = Objects.requireNonNull(segments, "segments");
    }

    /**
     * Where the numbers are kept, as in a table with a row for each segment. Segments are numbered from 0. Thread-safe.
     */
    public interface Segments {
        /** How much a segment has, about; called without its lock. */
        int left(int segment);

        /**
         * Takes {@code quantity} from a segment; called with its lock held.
         *
         * @param token of the lock: smaller than one seen before for this segment, it must be refused by an exception
         * @return false if the segment has less than that; nothing is taken then
         */
        boolean take(int segment, int quantity, long token);
    }

    /**
     * What was taken.
     *
     * @param segment from where
     * @param quantity how much
     * @param token of the segment's lock
     */
    public record Taken(int segment, int quantity, long token) {}

    /**
     * Takes some of the stock.
     *
     * @param key whose segment is asked first: a user's ID, say
     * @param quantity how much, more than zero
     * @param wait how long at most, for all locks together, more than zero
     * @return empty if no segment has as much
     * @throws LockTimeoutException if the time was over before a segment that has as much could be locked
     * @throws InterruptedException if the thread is interrupted; nothing is taken then
     */
    public Optional<Taken> take(String key, int quantity, Duration wait) throws InterruptedException {
        Wish.requireWait(wait);
        if (quantity < 1) {
            throw new IllegalArgumentException("Quantity must be more than zero: " + quantity);
        }
        long deadlineNanos = locks.time().nanoTime() + wait.toNanos();
        for (int segment : segmentLocks.from(key).toArray()) {
            if (segments.left(segment) < quantity) {
                continue;
            }
            Duration left =
                    Duration.ofNanos(Math.max(1, deadlineNanos - locks.time().nanoTime()));
            try (Lease lease = segmentLocks.stripe(segment).acquire(left)) {
                if (segments.take(segment, quantity, lease.token())) {
                    return Optional.of(new Taken(segment, quantity, lease.token()));
                }
            }
        }
        return Optional.empty();
    }
}
