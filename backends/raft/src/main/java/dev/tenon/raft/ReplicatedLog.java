package dev.tenon.raft;

import dev.tenon.raft.Command.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The seam over the Raft engine: everything that Tenon asks of one. Behind it a log is kept on a majority of the nodes,
 * and every node applies its entries in order to a {@link Replica}. Thread-safe.
 */
interface ReplicatedLog extends AutoCloseable {
    /**
     * Appends an entry of commands that {@link EntryCodec#encodeCommand} made. The future completes when a majority has
     * it on disk and it was applied here, on the thread that applies: its dependants must be short.
     *
     * <p>It fails with {@link dev.tenon.BackendUnavailableException} when the entry was not appended, and with {@link
     * dev.tenon.OutcomeUnknownException} when it may have been.
     */
    CompletableFuture<List<Answer>> append(List<byte[]> commands);

    /** Stops the engine; appends that are under way fail. Idempotent. */
    @Override
    void close();
}
