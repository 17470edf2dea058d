package dev.tenon.tx.engine;

import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.spi.TransactionStore;

/**
 * Drives transactions that were begun without the name of a service to their end, after a program was given one. Start
 * it beside the others' {@link Transactions} with the same participants, until {@link Transactions#list} finds none
 * open without a service; begin none by it.
 */
public final class UnnamedTransactions {
    private UnnamedTransactions() {}

    /**
     * The transactions of a log without a service.
     *
     * @param options as of the others; their service does not count
     */
    public static Transactions over(TransactionStore store, Participants participants, TransactionOptions options) {
        return new TransactionEngine(store, participants, options.withService(""));
    }
}
