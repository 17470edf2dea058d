package dev.tenon.server;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.DataFolderException;
import dev.tenon.raft.RaftBackend;
import dev.tenon.raft.RaftOptions;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/** One durable node of the replicated backend. */
final class RaftServerBackend implements ServerBackend {
    private final RaftBackend raft;

    private RaftServerBackend(RaftBackend raft) {
        this.raft = raft;
    }

    /**
     * Opens a data folder, making it if it is not there.
     *
     * @throws StartException if it can't be used
     */
    static RaftServerBackend open(Path data) {
        try {
            return new RaftServerBackend(RaftBackend.open(data, RaftOptions.DEFAULT));
        } catch (DataFolderException e) {
            throw new StartException(ExitCode.DATA_FOLDER, e.getMessage() + ".", e);
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
    public DefinitionStore definitions() {
        return raft.definitions();
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
