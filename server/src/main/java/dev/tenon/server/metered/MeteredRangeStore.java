package dev.tenon.server.metered;

import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.Optional;

/** A range store whose calls are timed. Thread-safe. */
final class MeteredRangeStore implements RangeStore {
    private final RangeStore store;
    private final CallTimer timer;

    MeteredRangeStore(RangeStore store, CallTimer timer) {
        this.store = store;
        this.timer = timer;
    }

    @Override
    public IdRange next(String name, long count) {
        return timer.time("next", () -> store.next(name, count));
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        timer.run("define", () -> store.define(name, definition));
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        return timer.time("definition", () -> store.definition(name));
    }

    @Override
    public long raiseTo(String name, long floor) {
        return timer.time("raiseTo", () -> store.raiseTo(name, floor));
    }
}
