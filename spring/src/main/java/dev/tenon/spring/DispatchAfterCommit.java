package dev.tenon.spring;

import dev.tenon.tx.message.Outbox;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Sends what a transaction has written, now that it is committed, without waiting for the outbox's next look. */
record DispatchAfterCommit(Outbox outbox) implements TransactionSynchronization {
    /** Of the transaction of this thread. */
    static void of(Outbox outbox) {
        TransactionSynchronizationManager.registerSynchronization(new DispatchAfterCommit(outbox));
    }

    @Override
    public void afterCommit() {
        outbox.dispatch();
    }
}
