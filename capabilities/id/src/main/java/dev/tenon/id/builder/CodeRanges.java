package dev.tenon.id.builder;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.BuilderSegment;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One code of the table, as the ranges that segment generators buy: both styles of a code share it, so that the store
 * gets one call at a time and a segment below that of the other style is noticed. How long a range is says the row, not
 * the buyer.
 */
final class CodeRanges implements RangeStore {
    private final BuilderConfigStore store;
    private final int code;
    private final ReentrantLock one = new ReentrantLock();
    private volatile BuilderConfig config;
    private long highest = -1;
    private volatile Optional<SequenceRegressedException> regression = Optional.empty();

    CodeRanges(BuilderConfigStore store, BuilderConfig config) {
        this.store = store;
        this.code = config.code();
        this.config = config;
    }

    /** The row, as it was when it was last looked at. */
    BuilderConfig config() {
        return config;
    }

    /** How the row went back, until its next segment is above all that came from it before. */
    Optional<SequenceRegressedException> regression() {
        return regression;
    }

    @Override
    public IdRange next(String name, long count) {
        one.lock();
        try {
            if (regression.isPresent()) {
                // Only look: taken on and on, the segments would pass the mark by themselves, over numbers in use.
                requireAbove(highest, store.raiseTo(code, -1), "would give");
            }
            BuilderSegment segment = store.take(code);
            long before = highest;
            if (segment.first() <= before) {
                // What is refused moved the row on, maybe past the mark: it needs an operator only above that.
                highest = Math.max(before, segment.range().last() + 1);
            }
            requireAbove(before, segment.first(), "gave");
            regression = Optional.empty();
            highest = segment.range().last();
            config = segment.config();
            return segment.range();
        } finally {
            one.unlock();
        }
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        throw new DefinitionConflictException("Code " + code + " is defined by its row, not as " + definition);
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        return Optional.of(new RangeDefinition(0, 1, Long.MAX_VALUE));
    }

    @Override
    public long raiseTo(String name, long floor) {
        one.lock();
        try {
            return store.raiseTo(code, floor);
        } finally {
            one.unlock();
        }
    }

    private void requireAbove(long before, long first, String what) {
        if (first <= before) {
            SequenceRegressedException e = new SequenceRegressedException("Code " + code + " went back: its row " + what
                    + " " + first + " after " + before + ". Set it above everything issued, at least: UPDATE"
                    + " t_id_builder_config SET current_threshold = " + (highest + 1) + " WHERE id = " + code
                    + " AND current_threshold <= " + highest);
            regression = Optional.of(e);
            throw e;
        }
    }
}
