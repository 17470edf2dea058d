package dev.tenon.server.backend;

import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.RaftStatus;
import dev.tenon.raft.StateUsage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.TransactionStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** What the server needs of the backend under it. Implementations are thread-safe. */
public interface ServerBackend extends AutoCloseable {
    /** Locks and sessions. */
    LockStore lockStore();

    /** Number ranges. */
    RangeStore ranges();

    /** The worker IDs of one group. */
    WorkerIdSource workerIds(String group);

    /** The same worker IDs, for generators of this server. */
    default WorkerIdSource ownWorkerIds(String group) {
        return workerIds(group);
    }

    /** ID definitions. */
    DefinitionStore definitions();

    /** The table of the ID-builder service, where the store is of a kind that may have it. */
    default Optional<BuilderConfigStore> builderConfigs() {
        return Optional.empty();
    }

    /** The log of transactions, where the store is of a kind that has one. */
    default Optional<TransactionStore> transactions() {
        return Optional.empty();
    }

    /** The outboxes of the services whose database this is, where the store is of a kind that may have such. */
    default Optional<OutboxOperations> outbox() {
        return Optional.empty();
    }

    /** The nodes that keep everything, where it is kept by nodes of this server's own kind. */
    default Optional<ClusterAdmin> cluster() {
        return Optional.empty();
    }

    /** How the replicated log under this is, where there is one. Takes time that grows with the number of locks. */
    default Optional<RaftStatus> raftStatus() {
        return Optional.empty();
    }

    /** How much of it is kept in this process, where this keeps everything itself. Takes no time. */
    default Optional<StateUsage> usage() {
        return Optional.empty();
    }

    /** A backup of everything, as bytes for {@code tenon restore}, where this keeps everything itself. */
    default Optional<CompletionStage<byte[]>> backup() {
        return Optional.empty();
    }

    /**
     * Sends the events of an open session to {@code events} from now on, at once when this is called: sessions outlive
     * the process that opened them.
     *
     * @return whether there is such a session
     */
    CompletionStage<Boolean> attach(String sessionId, StoreEvents events);

    /** Gives up the store, with everything in it kept. */
    @Override
    void close();
}
