package dev.tenon.server.metered;

import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.BuilderSegment;
import java.util.List;

/** The table of the ID-builder service, its calls timed. Thread-safe. */
final class MeteredBuilderConfigStore implements BuilderConfigStore {
    private final BuilderConfigStore store;
    private final CallTimer timer;

    MeteredBuilderConfigStore(BuilderConfigStore store, CallTimer timer) {
        this.store = store;
        this.timer = timer;
    }

    @Override
    public List<BuilderConfig> configs() {
        return timer.time("configs", store::configs);
    }

    @Override
    public BuilderConfig config(int code) {
        return timer.time("config", () -> store.config(code));
    }

    @Override
    public BuilderSegment take(int code) {
        return timer.time("take", () -> store.take(code));
    }

    @Override
    public long raiseTo(int code, long floor) {
        return timer.time("raiseTo", () -> store.raiseTo(code, floor));
    }
}
