package dev.tenon.raft;

import dev.tenon.Names;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.Objects;
import java.util.Optional;

/** {@link RangeStore} in the replicated log. Thread-safe. */
final class RaftRangeStore implements RangeStore {
    private static final String NAME = "sequence name";

    private final CommandLog log;

    RaftRangeStore(CommandLog log) {
        this.log = log;
    }

    @Override
    public IdRange next(String name, long count) {
        return Blocking.await(
                log.submit(new IdCommand.NextRange(Names.requireValid(NAME, name), IdRange.requireCount(count))));
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        Objects.requireNonNull(definition, "definition");
        Blocking.await(log.submit(new IdCommand.DefineRange(Names.requireValid(NAME, name), definition)));
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        return Blocking.await(log.submit(new IdCommand.FindRange(Names.requireValid(NAME, name))));
    }

    @Override
    public long raiseTo(String name, long floor) {
        return Blocking.await(log.submit(new IdCommand.RaiseRange(Names.requireValid(NAME, name), floor)));
    }
}
