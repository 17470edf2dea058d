package dev.tenon.server;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.TransactionStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A backend in memory, whose sessions end with it. */
final class MemoryServerBackend implements ServerBackend {
    private final MemoryBackend memory;
    private final Optional<ClusterAdmin> cluster;
    private final Optional<OutboxOperations> outbox;

    MemoryServerBackend() {
        this(MemoryBackend.create(), Optional.empty(), Optional.empty());
    }

    MemoryServerBackend(OutboxOperations outbox) {
        this(MemoryBackend.create(), Optional.empty(), Optional.of(outbox));
    }

    MemoryServerBackend(ClusterAdmin cluster, OutboxOperations outbox) {
        this(MemoryBackend.create(), Optional.of(cluster), Optional.of(outbox));
    }

    MemoryServerBackend(MemoryBackend memory) {
        this(memory, Optional.empty(), Optional.empty());
    }

    private MemoryServerBackend(
            MemoryBackend memory, Optional<ClusterAdmin> cluster, Optional<OutboxOperations> outbox) {
        this.memory = memory;
        this.cluster = cluster;
        this.outbox = outbox;
    }

    @Override
    public Optional<OutboxOperations> outbox() {
        return outbox;
    }

    @Override
    public Optional<ClusterAdmin> cluster() {
        return cluster;
    }

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
    public Optional<TransactionStore> transactions() {
        return Optional.of(memory.transactions());
    }

    @Override
    public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
        return CompletableFuture.completedStage(false);
    }

    /** Not one that can be restored. */
    @Override
    public Optional<CompletionStage<byte[]>> backup() {
        return Optional.of(CompletableFuture.completedStage(new byte[] {'m'}));
    }

    @Override
    public void close() {
        memory.close();
    }
}
