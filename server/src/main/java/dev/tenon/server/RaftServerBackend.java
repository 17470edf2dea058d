package dev.tenon.server;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.DataFolderException;
import dev.tenon.raft.RaftBackend;
import dev.tenon.raft.RaftOptions;
import dev.tenon.raft.RaftStatus;
import dev.tenon.raft.StateUsage;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.spi.TransactionStore;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** One node of the replicated backend, alone or one of several. */
final class RaftServerBackend implements ServerBackend {
    private final RaftBackend raft;
    private final ClusterAdmin cluster;

    private RaftServerBackend(RaftBackend raft, boolean alone) {
        this.raft = raft;
        this.cluster = new RaftClusterAdmin(raft.members(), raft::latestSnapshot, alone);
    }

    /**
     * Opens a data folder, making it if it is not there.
     *
     * @throws StartException if it can't be used
     */
    static RaftServerBackend open(Path data, RaftOptions options) {
        try {
            return new RaftServerBackend(
                    RaftBackend.open(data, options), options.cluster().isEmpty());
        } catch (DataFolderException e) {
            throw new StartException(ServerExitCode.DATA_FOLDER, e.getMessage() + ".", e);
        }
    }

    @Override
    public LockStore lockStore() {
        return raft.lockStore();
    }

    @Override
    public RangeStore ranges() {
        return raft.ranges();
    }

    @Override
    public WorkerIdSource workerIds(String group) {
        return raft.workerIds(group);
    }

    @Override
    public WorkerIdSource ownWorkerIds(String group) {
        return raft.ownWorkerIds(group);
    }

    @Override
    public DefinitionStore definitions() {
        return raft.definitions();
    }

    @Override
    public Optional<TransactionStore> transactions() {
        return Optional.of(raft.transactions());
    }

    @Override
    public Optional<ClusterAdmin> cluster() {
        return Optional.of(cluster);
    }

    @Override
    public Optional<RaftStatus> raftStatus() {
        return Optional.of(raft.status());
    }

    @Override
    public Optional<StateUsage> usage() {
        return Optional.of(raft.usage());
    }

    @Override
    public Optional<CompletionStage<byte[]>> backup() {
        return Optional.of(raft.backup());
    }

    @Override
    public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
        return raft.lockStore().attach(sessionId, events);
    }

    @Override
    public void close() {
        raft.close();
    }
}
