package dev.tenon.memory;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Definitions in a sorted map. */
final class MemoryDefinitionStore implements DefinitionStore {
    private final ConcurrentNavigableMap<String, String> definitions = new ConcurrentSkipListMap<>();

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
    public boolean replace(String name, String before, String text) {
        return definitions.replace(
                Names.requireValid("definition name", name), before, DefinitionStore.requireText(text));
    }

    @Override
    public boolean remove(String name, String text) {
        return definitions.remove(Names.requireValid("definition name", name), text);
    }

    @Override
    public Map<String, String> all() {
        return new TreeMap<>(definitions);
    }
}
