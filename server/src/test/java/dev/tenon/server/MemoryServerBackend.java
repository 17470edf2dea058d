package dev.tenon.server;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.memory.MemoryBackend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A backend in memory, whose sessions end with it. */
final class MemoryServerBackend implements ServerBackend {
    private final MemoryBackend memory = MemoryBackend.create();

    @Override
    public LockStore lockStore() {
        return memory.lockStore();
    }

    @Override
    public RangeStore ranges() {
        return memory.ranges();
    }

    @Override
    public WorkerIdSource workerIds(String group) {
        return memory.workerIds(group);
    }

    @Override
    public DefinitionStore definitions() {
        return memory.definitions();
    }

    @Override
    public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
        return CompletableFuture.completedStage(false);
    }

    @Override
    public void close() {
        memory.close();
    }
}
