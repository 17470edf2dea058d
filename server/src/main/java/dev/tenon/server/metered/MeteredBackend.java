package dev.tenon.server.metered;

import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.RaftStatus;
import dev.tenon.raft.StateUsage;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.server.observe.Observer;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.TransactionStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A backend whose calls are timed and whose answers are counted. What a backend knows without a call, such as its
 * cluster's view or its usage, is passed on. Thread-safe.
 */
public final class MeteredBackend implements ServerBackend {
    private final ServerBackend backend;
    private final Observer observer;
    private final LockCounters locks;
    private final WorkerIdCounters workerIds;
    private final TransactionCounters transactions;

    /**
     * The same backend, metered.
     *
     * @param observer is told of each call: {@code locks.acquire}, {@code ranges.next}, …
     * @param metrics count what the answers mean
     */
    public MeteredBackend(ServerBackend backend, Observer observer, Metrics metrics) {
        this.backend = backend;
        this.observer = observer;
        this.locks = new LockCounters(metrics);
        this.workerIds = new WorkerIdCounters(metrics);
        this.transactions = new TransactionCounters(metrics);
    }

    private CallTimer timer(String part) {
        return new CallTimer(part, observer);
    }

    @Override
    public LockStore lockStore() {
        return MeteredLockStore.over(backend.lockStore(), timer("locks"), locks);
    }

    @Override
    public RangeStore ranges() {
        return new MeteredRangeStore(backend.ranges(), timer("ranges"));
    }

    @Override
    public WorkerIdSource workerIds(String group) {
        return metered(backend.workerIds(group));
    }

    @Override
    public WorkerIdSource ownWorkerIds(String group) {
        return metered(backend.ownWorkerIds(group));
    }

    private WorkerIdSource metered(WorkerIdSource source) {
        return new MeteredWorkerIdSource(source, timer("workers"), workerIds);
    }

    @Override
    public DefinitionStore definitions() {
        return new MeteredDefinitionStore(backend.definitions(), timer("definitions"));
    }

    @Override
    public Optional<BuilderConfigStore> builderConfigs() {
        return backend.builderConfigs().map(store -> new MeteredBuilderConfigStore(store, timer("codes")));
    }

    @Override
    public Optional<TransactionStore> transactions() {
        return backend.transactions()
                .map(store -> new MeteredTransactionStore(store, timer("transactions"), transactions));
    }

    @Override
    public Optional<OutboxOperations> outbox() {
        return backend.outbox().map(outbox -> new MeteredOutboxOperations(outbox, timer("outbox")));
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
        return backend.attach(sessionId, new CountedEvents(events, locks));
    }

    @Override
    public void close() {
        backend.close();
    }
}
