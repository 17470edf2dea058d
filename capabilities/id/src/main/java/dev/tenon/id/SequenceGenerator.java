package dev.tenon.id;

import dev.tenon.Names;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

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
 *       is not issued: {@link SequenceRegressedException}.
 *   <li><b>Clock:</b> no influence.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class SequenceGenerator implements IdGenerator {
    private final RangeStore store;
    private final String name;
    private final AtomicLong seen = new AtomicLong(-1);

    private SequenceGenerator(RangeStore store, String name) {
        this.store = Objects.requireNonNull(store, "store");
        this.name = Names.requireValid("sequence name", name);
    }

    /** A generator of a sequence's numbers. */
    public static SequenceGenerator create(RangeStore store, String name) {
        return new SequenceGenerator(store, name);
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
        return next(1).first();
    }

    /**
     * Fills an array with the next numbers of the sequence. If fewer are left it throws, and they are gone. Throws as
     * {@link #nextId} does.
     */
    @Override
    public void fill(long[] ids) {
        int filled = 0;
        while (filled < ids.length) {
            IdRange range = next(ids.length - filled);
            for (int i = 0; i < range.count(); i++) {
                ids[filled++] = range.first() + i * range.step();
            }
        }
    }

    private IdRange next(long count) {
        long before = seen.get(); // read before the call: only what returned before it must be less
        IdRange range = store.next(name, count);
        if (range.first() <= before) {
            throw new SequenceRegressedException("Sequence \"" + name + "\" went back: the store gave " + range.first()
                    + " after " + before + "; raise it above everything issued before going on");
        }
        seen.accumulateAndGet(range.last(), Math::max);
        return range;
    }
}
