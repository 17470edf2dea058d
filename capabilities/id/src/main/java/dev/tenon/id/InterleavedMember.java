package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One store of several whose numbers interleave. Each time before numbers are taken the sequence is defined: in a store
 * that has lost it, it would else begin with step 1 and run into the numbers of all others. Thread-safe.
 */
final class InterleavedMember implements RangeSupply {
    private final Supplier<? extends RangeStore> opening;
    private final String sequence;
    private final RangeDefinition definition;
    private final LongSupplier level;
    private final AtomicBoolean opens = new AtomicBoolean();
    private final AtomicLong passedBy = new AtomicLong();
    private volatile @Nullable Opened opened;

    private record Opened(RangeStore store, WatchedRanges ranges) {}

    /**
     * @param definition whose start is this member's offset, and whose step is the number of members
     * @param level the least number that the others have at hand; less than 0 if they have none
     */
    InterleavedMember(
            Supplier<? extends RangeStore> opening, String sequence, RangeDefinition definition, LongSupplier level) {
        this.opening = opening;
        this.sequence = sequence;
        this.definition = definition;
        this.level = level;
    }

    @Override
    public String name() {
        return sequence + " (" + definition.start() + " of " + definition.step() + ")";
    }

    /**
     * Opens the store and checks the definition, as the first {@link #next} would.
     *
     * @throws DefinitionConflictException if the sequence has another one there
     */
    void open() {
        opened();
    }

    @Override
    public IdRange next(long count) {
        Opened now = opened();
        IdRange range = checked(now.ranges.next(count));
        // One that was away, or that others use less, is behind: its numbers would be far out of order.
        long others = level.getAsLong();
        if (others - range.last() > count * definition.step()) {
            passedBy.addAndGet(range.count());
            now.ranges.raiseTo(others - 1);
            range = checked(now.ranges.next(count));
        }
        return range;
    }

    @Override
    public long refused() {
        Opened known = opened;
        return passedBy.get() + (known == null ? 0 : known.ranges.refused());
    }

    OptionalLong highestSeen() {
        Opened known = opened;
        return known == null ? OptionalLong.empty() : known.ranges.highestSeen();
    }

    Optional<SequenceRegressedException> regression() {
        Opened known = opened;
        return known == null ? Optional.empty() : known.ranges.regression();
    }

    private Opened opened() {
        if (!opens.compareAndSet(false, true)) {
            throw new BackendUnavailableException("Sequence \"" + name() + "\" is being asked for already");
        }
        try {
            Opened known = opened;
            if (known == null) {
                RangeStore store = opening.get();
                known = new Opened(store, new WatchedRanges(store, sequence));
            }
            known.store.define(sequence, definition);
            opened = known;
            return known;
        } finally {
            opens.set(false);
        }
    }

    private IdRange checked(IdRange range) {
        if (range.step() != definition.step() || (range.first() - definition.start()) % definition.step() != 0) {
            passedBy.addAndGet(range.count());
            throw new DefinitionConflictException("Sequence \"" + name() + "\" gave " + range
                    + ", which belongs to another member; nothing of it was issued");
        }
        return range;
    }
}
