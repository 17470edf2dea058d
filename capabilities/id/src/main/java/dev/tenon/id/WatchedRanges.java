package dev.tenon.id;

import dev.tenon.Names;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one sequence, under watch: one that is not above all that came before is not let through. From then on
 * the store is only looked at, and nothing is taken, until its next number is above all seen again: were numbers taken
 * on and on, they would pass the mark by themselves, and it would be unknown which of those above it others had issued.
 */
final class WatchedRanges implements RangeSupply {
    private static final long NONE = -1;

    private final RangeStore store;
    private final String name;
    private final Turn turn;
    private final AtomicLong seen = new AtomicLong(NONE);
    private final AtomicLong refused = new AtomicLong();
    private final AtomicReference<@Nullable SequenceRegressedException> regression = new AtomicReference<>();

    private record Turn(RangeStore store, String name) {}

    WatchedRanges(RangeStore store, String name) {
        this.store = Objects.requireNonNull(store, "store");
        this.name = Names.requireValid("sequence name", name);
        this.turn = new Turn(store, name);
    }

    @Override
    public String name() {
        return name;
    }

    /** Two generators of one sequence of a store take turns. */
    @Override
    public Object turn() {
        return turn;
    }

    @Override
    public IdRange next(long count) {
        SequenceRegressedException known = regression.get();
        long before = seen.get(); // read before the call: only what returned before it must be less
        if (known != null) {
            // Nothing is below 0, so this raises nothing: it only tells the next number.
            long coming = store.raiseTo(name, NONE);
            if (coming <= before) {
                throw regressed("would give " + coming, before);
            }
        }
        IdRange range = store.next(name, count);
        if (range.first() <= before) {
            refused.addAndGet(range.count());
            // What was refused moved the store on, maybe past the mark: it needs an operator only above that.
            seen.accumulateAndGet(following(range), Math::max);
            throw regressed("gave " + range.first(), before);
        }
        seen.accumulateAndGet(range.last(), Math::max);
        regression.compareAndSet(known, null);
        return range;
    }

    @Override
    public long refused() {
        return refused.get();
    }

    /** Raises the sequence in the store. */
    long raiseTo(long floor) {
        return store.raiseTo(name, floor);
    }

    /** The greatest number that came from the store; once it went back, at least the one after what was refused. */
    OptionalLong highestSeen() {
        long highest = seen.get();
        return highest == NONE ? OptionalLong.empty() : OptionalLong.of(highest);
    }

    /** Why nothing comes from the store now, if it went back. */
    Optional<SequenceRegressedException> regression() {
        return Optional.ofNullable(regression.get());
    }

    private static long following(IdRange range) {
        return range.last() > Long.MAX_VALUE - range.step() ? range.last() : range.last() + range.step();
    }

    private SequenceRegressedException regressed(String what, long before) {
        SequenceRegressedException e = new SequenceRegressedException("Sequence \"" + name + "\" went back: the store "
                + what + " after " + before + "; raise it above " + seen.get()
                + ", and above all that others have issued, before going on");
        regression.set(e);
        return e;
    }
}
