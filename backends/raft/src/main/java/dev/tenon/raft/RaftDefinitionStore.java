package dev.tenon.raft;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import java.util.Map;
import java.util.Optional;

/** {@link DefinitionStore} in the replicated log. Thread-safe. */
final class RaftDefinitionStore implements DefinitionStore {
    private static final String NAME = "definition name";

    private final CommandLog log;

    RaftDefinitionStore(CommandLog log) {
        this.log = log;
    }

    @Override
    public Optional<String> find(String name) {
        return Blocking.await(log.submit(new IdCommand.FindDefinition(Names.requireValid(NAME, name))));
    }

    @Override
    public String putIfAbsent(String name, String text) {
        return Blocking.await(log.submit(
                new IdCommand.PutDefinition(Names.requireValid(NAME, name), DefinitionStore.requireText(text))));
    }

    @Override
    public boolean replace(String name, String before, String text) {
        return Blocking.await(log.submit(new IdCommand.ReplaceDefinition(
                Names.requireValid(NAME, name), before, DefinitionStore.requireText(text))));
    }

    @Override
    public boolean remove(String name, String text) {
        return Blocking.await(log.submit(new IdCommand.RemoveDefinition(Names.requireValid(NAME, name), text)));
    }

    @Override
    public Map<String, String> all() {
        return Blocking.await(log.submit(new IdCommand.AllDefinitions()));
    }
}
