package dev.tenon.id;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Ascending numbers out of ranges that are bought from a store ahead of time.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of one name of one store.
 *   <li><b>Order:</b> strictly increasing per generator, across threads. Between generators, by range: the numbers of
 *       one may be behind those of another by as much as each has at hand. What a generator has at hand when it ends
 *       is never issued.
 *   <li><b>Rate limit:</b> none of its own: one atomic addition an ID. When the store can't follow, callers are
 *       parked.
 *   <li><b>Store:</b> asked in the background, at most once at a time for a name, before the numbers run out. All
 *       generators of a process share the few threads for that, and those with numbers at hand need none. While it is
 *       away, IDs go on as long as those at hand last; after that a call waits up to {@link SegmentPolicy#waitMax} and
 *       throws what the store threw. The store is tried again with pauses of up to a second, not by every caller. If it
 *       gives a range below one that it gave before, nothing of that is issued, calls that find nothing else throw
 *       {@link SequenceRegressedException}, and {@link #regression} tells so; it goes on by itself once the sequence
 *       was raised. A generator can only compare with what it has seen itself.
 *   <li><b>Clock:</b> no influence on the numbers.
 * </ul>
 *
 * <p>Thread-safe, without locks as long as there are numbers at hand.
 */
public final class SegmentGenerator implements IdGenerator, AutoCloseable {
    private final WatchedRanges ranges;
    private final SegmentBuffer buffer;

    private SegmentGenerator(WatchedRanges ranges, SegmentPolicy policy) {
        this.ranges = ranges;
        this.buffer = new SegmentBuffer(ranges, policy, TimeSource.system(), null, new SegmentSignal())
                .start(SegmentFetchers.shared());
    }

    /** A generator with the default policy. It asks the store when the first ID is wanted. */
    public static SegmentGenerator create(RangeStore store, String name) {
        return create(store, name, SegmentPolicy.DEFAULT);
    }

    /** A generator with a policy of one's own. It asks the store when the first ID is wanted. */
    public static SegmentGenerator create(RangeStore store, String name, SegmentPolicy policy) {
        return new SegmentGenerator(new WatchedRanges(store, name), policy);
    }

    /**
     * The next number.
     *
     * @throws RangeExhaustedException if the sequence has reached its max
     * @throws SequenceRegressedException if the store went back
     * @throws dev.tenon.BackendUnavailableException if none came within the time to wait, or the thread was interrupted
     * @throws dev.tenon.OutcomeUnknownException if none came, and the last reply was lost
     * @throws IllegalStateException if this is closed
     */
    @Override
    public long nextId() {
        return buffer.next();
    }

    /** Fills an array with increasing numbers, whole ranges at a time. Throws as {@link #nextId} does. */
    @Override
    public void fill(long[] ids) {
        buffer.fill(ids);
    }

    /**
     * Takes at most {@code count} numbers, and at least one: as many in a row as the range at hand has, in one step.
     * Throws as {@link #nextId} does.
     *
     * @param count 1 or more
     */
    public IdRange nextRange(int count) {
        return buffer.nextRange(count);
    }

    /**
     * Has the first numbers fetched now, so that the first call finds them; without it, that call asks the store. Does
     * nothing where there are numbers at hand. A store that fails is asked again in the background until it gives some.
     *
     * @param atMost how long to wait for them; zero: not at all
     * @return false: there are none at hand yet. Calls then do what they do without this
     */
    public boolean prefetch(Duration atMost) {
        return buffer.prefetch(atMost);
    }

    /** How many numbers are at hand. */
    public long left() {
        return buffer.left();
    }

    /**
     * How many numbers were taken from the store and will never be issued. What is at hand at the end is not given
     * back: that would be right only if no other process had taken a range since, so it would take one more call that
     * can fail, to save numbers of which there are enough.
     */
    public long wasted() {
        return buffer.wasted();
    }

    /**
     * The greatest number that this generator has seen of its store, issued or not: how far {@link RangeStore#raiseTo}
     * must raise a store that went back, as far as this generator knows. Others may have seen more. Once the store went
     * back, it is at least the number that comes after those that were refused: taking them moved the store on.
     */
    public OptionalLong highestSeen() {
        return ranges.highestSeen();
    }

    /**
     * Says that the store went back, and how; empty as long as it did not, and again as soon as a range has come that
     * is above all seen. Meanwhile the store is looked at in the background, and nothing is taken from it: once the
     * sequence was raised, this goes on by itself.
     */
    public Optional<SequenceRegressedException> regression() {
        return ranges.regression();
    }

    /** Ends this: what is at hand is wasted, and calls throw {@link IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        buffer.close();
    }
}
