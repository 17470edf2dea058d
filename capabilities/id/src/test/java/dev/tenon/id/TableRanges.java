package dev.tenon.id;

import dev.tenon.TenonException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store of ranges that records its calls, and that can be made to fail, to lose replies and to be rolled back. */
final class TableRanges implements RangeStore {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger insideMax = new AtomicInteger();
    private final List<Long> counts = new CopyOnWriteArrayList<>();
    private volatile @Nullable Supplier<TenonException> failing;
    private volatile boolean loseReplies;
    private boolean forgetsBeforeDefinition;
    private boolean forgetsBeforeNumbers;
    private RangeTable table = new RangeTable();

    void failWith(@Nullable Supplier<TenonException> failure) {
        failing = failure;
        loseReplies = false;
    }

    void loseRepliesWith(Supplier<TenonException> failure) {
        failing = failure;
        loseReplies = true;
    }

    /** Forgets everything, as a store restored from an old copy. */
    synchronized void rollBack() {
        table = new RangeTable();
    }

    /** Forgets everything when it is next told a definition: at the beginning of a fetch, never in the midst of one. */
    synchronized void rollBackBeforeDefinition() {
        forgetsBeforeDefinition = true;
    }

    /**
     * Forgets everything when it is next asked for numbers: in the midst of a fetch that told it a definition first.
     */
    synchronized void rollBackBeforeNumbers() {
        forgetsBeforeNumbers = true;
    }

    /** The sizes that were asked for, by call. */
    List<Long> counts() {
        return counts;
    }

    /** The most calls that ran at a time. */
    int callsAtOnce() {
        return insideMax.get();
    }

    private void requireUp() {
        Supplier<TenonException> failure = failing;
        if (failure != null && !loseReplies) {
            throw failure.get();
        }
    }

    @Override
    public IdRange next(String name, long count) {
        insideMax.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try {
            counts.add(count);
            Supplier<TenonException> failure = failing;
            requireUp();
            IdRange range;
            synchronized (this) {
                if (forgetsBeforeNumbers) {
                    forgetsBeforeNumbers = false;
                    rollBack();
                }
                range = table.next(name, count);
            }
            if (failure != null) {
                throw failure.get();
            }
            return range;
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        requireUp();
        synchronized (this) {
            if (forgetsBeforeDefinition) {
                forgetsBeforeDefinition = false;
                rollBack();
            }
            table.define(name, definition);
        }
    }

    @Override
    public synchronized Optional<RangeDefinition> definition(String name) {
        return table.definition(name);
    }

    @Override
    public synchronized long raiseTo(String name, long floor) {
        return table.raiseTo(name, floor);
    }
}
