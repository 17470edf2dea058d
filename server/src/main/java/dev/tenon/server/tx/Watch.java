package dev.tenon.server.tx;

import dev.tenon.tx.TransactionRecord;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Somebody waits for the end of a transaction. Thread-safe; close it when nobody does any more. */
public final class Watch implements AutoCloseable {
    private final CompletableFuture<TransactionRecord> told = new CompletableFuture<>();
    private final Runnable forget;

    Watch(Consumer<Watch> forget) {
        this.forget = () -> forget.accept(this);
    }

    /**
     * Completes when this server has seen the transaction end or be suspended; fails when the server stops. Where
     * another one has driven it, that is not told: look from time to time.
     */
    public CompletionStage<TransactionRecord> told() {
        return told;
    }

    void tell(TransactionRecord tx) {
        told.complete(tx);
    }

    void fail(Throwable cause) {
        told.completeExceptionally(cause);
    }

    @Override
    public void close() {
        forget.run();
    }
}
