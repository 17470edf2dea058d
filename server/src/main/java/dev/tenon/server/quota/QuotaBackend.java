package dev.tenon.server.quota;

import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.RaftStatus;
import dev.tenon.raft.StateUsage;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.quota.Quotas.Kept;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.TransactionStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A backend whose locks and transactions are charged to a server's quotas. Thread-safe. */
public final class QuotaBackend implements ServerBackend {
    /** Transactions that have ended may take this part of the room; beyond it they are forgotten early. */
    private static final int ENDED_PART = 2;

    private final ServerBackend backend;
    private final Quotas quotas;

    /** The same backend, counted. */
    public QuotaBackend(ServerBackend backend, Quotas quotas) {
        this.backend = backend;
        this.quotas = quotas;
    }

    /** What a backend keeps in this process. */
    public static Optional<Kept> kept(ServerBackend backend) {
        return backend.usage()
                .map(usage -> new Kept(usage.bytes(), usage.locks(), usage.openTransactions(), usage.definitions()));
    }

    /** Gives back what is over. May block. */
    public void runOnce() {
        quotas.locks().runOnce();
        backend.transactions().ifPresent(log -> quotas.transactions().runOnce(log, this::crowded));
    }

    private boolean crowded() {
        return backend.usage()
                .filter(usage ->
                        usage.endedBytes() > quotas.of(LimitedResource.STATE).limit() / ENDED_PART)
                .isPresent();
    }

    @Override
    public LockStore lockStore() {
        return CountedLocks.over(backend.lockStore(), quotas.locks());
    }

    @Override
    public RangeStore ranges() {
        return backend.ranges();
    }

    @Override
    public WorkerIdSource workerIds(String group) {
        return backend.workerIds(group);
    }

    @Override
    public WorkerIdSource ownWorkerIds(String group) {
        return backend.ownWorkerIds(group);
    }

    @Override
    public DefinitionStore definitions() {
        return backend.definitions();
    }

    @Override
    public Optional<BuilderConfigStore> builderConfigs() {
        return backend.builderConfigs();
    }

    @Override
    public Optional<TransactionStore> transactions() {
        return backend.transactions().map(log -> new CountedTransactions(log, quotas.transactions()));
    }

    @Override
    public Optional<OutboxOperations> outbox() {
        return backend.outbox();
    }

    @Override
    public Optional<ClusterAdmin> cluster() {
        return backend.cluster();
    }

    @Override
    public Optional<RaftStatus> raftStatus() {
        return backend.raftStatus();
    }

    @Override
    public Optional<StateUsage> usage() {
        return backend.usage();
    }

    @Override
    public Optional<CompletionStage<byte[]>> backup() {
        return backend.backup();
    }

    @Override
    public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
        return backend.attach(sessionId, CountedLocks.counted(events, quotas.locks()));
    }

    @Override
    public void close() {
        backend.close();
    }
}
