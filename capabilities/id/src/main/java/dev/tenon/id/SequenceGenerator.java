package dev.tenon.id;

import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Contiguous numbers: each call asks the store.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of one name of one store.
 *   <li><b>Order:</b> strictly increasing over all generators and processes: a call that begins after another has
 *       returned gets a greater number. Contiguous as long as no reply is lost; a number whose reply was lost is a
 *       gap.
 *   <li><b>Rate limit:</b> one round trip to the store a call; {@link #fill} takes any number of IDs in one.
 *   <li><b>Store:</b> what it throws is thrown; nothing is kept at hand. A number that is not above those seen before
 *       is not issued: {@link SequenceRegressedException}, and from then on nothing is taken from the store until the
 *       sequence was raised. A generator can only compare with what it has seen itself.
 *   <li><b>Clock:</b> no influence.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class SequenceGenerator implements IdGenerator {
    private final WatchedRanges ranges;

    SequenceGenerator(WatchedRanges ranges) {
        this.ranges = ranges;
    }

    /** A generator of a sequence's numbers. */
    public static SequenceGenerator create(RangeStore store, String name) {
        return new SequenceGenerator(new WatchedRanges(store, name));
    }

    /**
     * The next number of the sequence.
     *
     * @throws RangeExhaustedException if the sequence has reached its max
     * @throws SequenceRegressedException if the store went back
     * @throws dev.tenon.BackendUnavailableException if the store could not be asked
     * @throws dev.tenon.OutcomeUnknownException if its reply was lost: a number may be missing
     */
    @Override
    public long nextId() {
        return ranges.next(1).first();
    }

    /**
     * Fills an array with the next numbers of the sequence. If fewer are left it throws, and they are gone. Throws as
     * {@link #nextId} does.
     */
    @Override
    public void fill(long[] ids) {
        int filled = 0;
        while (filled < ids.length) {
            IdRange range = ranges.next(ids.length - filled);
            for (int i = 0; i < range.count(); i++) {
                ids[filled++] = range.first() + i * range.step();
            }
        }
    }

    /**
     * Takes {@code count} numbers in a row in one round trip, or those that are left if the sequence is about to reach
     * its max. Throws as {@link #nextId} does.
     *
     * @param count 1 or more
     */
    public IdRange nextRange(int count) {
        return ranges.next(count);
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
     * is above all seen. Meanwhile the store is looked at by each call, and nothing is taken from it: once the sequence
     * was raised, this goes on by itself.
     */
    public Optional<SequenceRegressedException> regression() {
        return ranges.regression();
    }
}
