package dev.tenon.id;

import dev.tenon.id.spi.IdRange;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A range that is being issued, and the one after it. The count is of numbers taken, and may pass their number. */
final class Segment extends AtomicLong {
    private static final long serialVersionUID = 1L;

    private final long first;
    private final long step;
    private final long count;
    private final long alarm;
    private final transient @Nullable IndexPermutation order;
    private transient volatile @Nullable Segment next;

    private Segment(long first, long step, long count, long alarm, @Nullable IndexPermutation order) {
        this.first = first;
        this.step = step;
        this.count = count;
        this.alarm = alarm;
        this.order = order;
    }

    /** What a generator begins with. */
    static Segment empty() {
        return new Segment(0, 1, 0, 0, null);
    }

    /**
     * A fresh range.
     *
     * @param prefetchAt the share that is left when {@link #alarmIn} answers
     * @param order in which its numbers are issued; ascending without one
     */
    static Segment of(IdRange range, double prefetchAt, @Nullable IndexPermutation order) {
        long alarm = Math.max(0, range.count() - 1 - (long) (range.count() * prefetchAt));
        return new Segment(range.first(), range.step(), range.count(), alarm, order);
    }

    /** Takes {@code wanted} places; those below {@link #count} are the caller's. */
    long take(long wanted) {
        return get() >= count ? count : getAndAdd(wanted);
    }

    /** Takes all that is left. */
    long takeRest() {
        return Math.max(0, count - getAndSet(count));
    }

    long count() {
        return count;
    }

    long left() {
        return Math.max(0, count - get());
    }

    /** Whether the next segment ought to be fetched. */
    boolean low() {
        return get() > alarm;
    }

    /** Whether one of these places is that at which the next segment ought to be fetched. */
    boolean alarmIn(long from, long taken) {
        return alarm - from >= 0 && alarm - from < taken;
    }

    long id(long index) {
        IndexPermutation permutation = order;
        return first + (permutation == null ? index : permutation.at(index)) * step;
    }

    /** Several places at once, of a segment that ascends. */
    IdRange range(long index, long taken) {
        return new IdRange(first + index * step, taken, step);
    }

    @Nullable
    Segment next() {
        return next;
    }

    void append(Segment segment) {
        next = segment;
    }
}
