package dev.tenon.raft;

import dev.tenon.OutcomeUnknownException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for the log, for the interfaces whose calls block. */
final class Blocking {
    private Blocking() {}

    /**
     * The value of {@code future}, or the exception that it failed with.
     *
     * @throws OutcomeUnknownException if this thread is interrupted, which it stays; the command may still be carried
     *     out
     */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OutcomeUnknownException("Interrupted while waiting for the log", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            throw new OutcomeUnknownException("The log failed: " + e.getCause(), e.getCause());
        }
    }
}
