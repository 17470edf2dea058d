package dev.tenon.id;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.RangeStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Numbers out of ranges that are bought from a store ahead of time, each range in a secret random order: from some of
 * its numbers, an observer can't tell which come next or how many were issued in between. Ranges themselves ascend, so
 * that the magnitude does tell roughly how many were issued in all.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of one name of one store; each number of a range is issued once.
 *   <li><b>Order:</b> none within a range; ranges ascend.
 *   <li><b>Rate limit, store, clock:</b> as {@link SegmentGenerator}. An ID costs some hundred nanoseconds of
 *       hashing.
 * </ul>
 *
 * <p>The order is computed under a random key of 128 bits for each range, with no memory for the numbers.
 * Thread-safe, without locks as long as there are numbers at hand.
 */
public final class ShuffledSegmentGenerator implements IdGenerator, AutoCloseable {
    private final WatchedRanges ranges;
    private final SegmentBuffer buffer;

    private ShuffledSegmentGenerator(WatchedRanges ranges, SegmentPolicy policy) {
        this.ranges = ranges;
        this.buffer = new SegmentBuffer(ranges, policy, TimeSource.system(), new SecureRandom(), new SegmentSignal())
                .start(SegmentFetchers.shared());
    }

    /** A generator with the default policy. It asks the store when the first ID is wanted. */
    public static ShuffledSegmentGenerator create(RangeStore store, String name) {
        return create(store, name, SegmentPolicy.DEFAULT);
    }

    /** A generator with a policy of one's own: the longer its segments, the less can be guessed. */
    public static ShuffledSegmentGenerator create(RangeStore store, String name, SegmentPolicy policy) {
        return new ShuffledSegmentGenerator(new WatchedRanges(store, name), policy);
    }

    /** The next number. Throws as {@link SegmentGenerator#nextId} does. */
    @Override
    public long nextId() {
        return buffer.next();
    }

    /** Fills an array. Throws as {@link SegmentGenerator#nextId} does. */
    @Override
    public void fill(long[] ids) {
        buffer.fill(ids);
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

    /** How many numbers were taken from the store and will never be issued. */
    public long wasted() {
        return buffer.wasted();
    }

    /**
     * The greatest number that this generator has seen of its store, issued or not: how far {@link RangeStore#raiseTo}
     * must raise a store that went back, as far as this generator knows. Others may have seen more.
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
