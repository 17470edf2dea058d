package dev.tenon.memory;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Definitions in a sorted map. */
final class MemoryDefinitionStore implements DefinitionStore {
    private final NavigableMap<String, String> definitions = new ConcurrentSkipListMap<>();

    @Override
    public Optional<String> find(String name) {
        return Optional.ofNullable(definitions.get(Names.requireValid("definition name", name)));
    }

    @Override
    public String putIfAbsent(String name, String text) {
        Names.requireValid("definition name", name);
        String before = definitions.putIfAbsent(name, DefinitionStore.requireText(text));
        return before == null ? text : before;
    }

    @Override
    public Map<String, String> all() {
        return new TreeMap<>(definitions);
    }
}
