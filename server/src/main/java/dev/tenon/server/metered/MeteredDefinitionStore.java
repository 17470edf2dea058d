package dev.tenon.server.metered;

import dev.tenon.id.spi.DefinitionStore;
import java.util.Map;
import java.util.Optional;

/** A store of definitions whose calls are timed. Thread-safe. */
final class MeteredDefinitionStore implements DefinitionStore {
    private final DefinitionStore store;
    private final CallTimer timer;

    MeteredDefinitionStore(DefinitionStore store, CallTimer timer) {
        this.store = store;
        this.timer = timer;
    }

    @Override
    public Optional<String> find(String name) {
        return timer.time("find", () -> store.find(name));
    }

    @Override
    public String putIfAbsent(String name, String text) {
        return timer.time("putIfAbsent", () -> store.putIfAbsent(name, text));
    }

    @Override
    public boolean replace(String name, String before, String text) {
        return timer.time("replace", () -> store.replace(name, before, text));
    }

    @Override
    public boolean remove(String name, String text) {
        return timer.time("remove", () -> store.remove(name, text));
    }

    @Override
    public Map<String, String> all() {
        return timer.time("all", store::all);
    }
}
