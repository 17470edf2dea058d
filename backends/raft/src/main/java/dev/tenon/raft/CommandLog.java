package dev.tenon.raft;

import java.util.concurrent.CompletableFuture;

/** Where the stores of this backend send their commands. Thread-safe. */
interface CommandLog {
    /**
     * Sends a command through the log. The future completes when the command is durable and was applied, on the thread
     * that applies: its dependants must be short.
     *
     * <p>It fails with what the command was refused for, with {@link dev.tenon.BackendUnavailableException} when
     * nothing happened, and with {@link dev.tenon.OutcomeUnknownException} when something may have happened.
     */
    <R> CompletableFuture<R> submit(Command<R> command);
}
