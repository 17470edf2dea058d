package dev.tenon.tx.global;

import java.util.Optional;

/**
 * This thread's part in a transaction that another service has begun and will decide, until this is closed. For
 * adapters of transports: what the caller gets back as {@link GlobalTransactions#HEADER} is {@link #answer}. Use it in
 * one thread.
 */
public final class JoinedScope implements AutoCloseable {
    private final GlobalScope scope;
    private final GlobalScope.State before;
    private final GlobalTransaction transaction;

    JoinedScope(GlobalScope scope, GlobalTransaction transaction) {
        this.scope = scope;
        this.transaction = transaction;
        this.before = scope.enter(new GlobalScope.State(transaction, false));
    }

    /** The transaction. */
    public GlobalTransaction transaction() {
        return transaction;
    }

    /**
     * The work has failed: the caller gets no answer, and the whole transaction is rolled back, whatever the caller
     * does.
     */
    public void failed(String reason) {
        transaction.rollBackOnly(reason);
    }

    /**
     * What the caller is to get back when the work is over; nothing, if it has failed. No branch can be added any more.
     */
    public Optional<String> answer() {
        transaction.leave();
        return transaction.rollBackReason().isPresent()
                ? Optional.empty()
                : Optional.of(transaction.gid().text());
    }

    /** This thread is in what it was in before. Decides nothing. */
    @Override
    public void close() {
        transaction.leave();
        scope.restore(before);
    }
}
