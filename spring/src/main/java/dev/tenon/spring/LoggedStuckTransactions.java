package dev.tenon.spring;

import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.Transactions;
import java.time.Instant;
import java.util.List;

/** Those in the log that are of this application's service. */
record LoggedStuckTransactions(Transactions transactions, StuckHealth whenStuck) implements StuckTransactions {
    private static final int COUNTED_MAX = 1000;

    @Override
    public Found look() {
        TransactionFilter own = TransactionFilter.ALL
                .thatAreStuck()
                .ofService(transactions.options().service());
        List<TransactionRecord> stuck = transactions.list(own, "", COUNTED_MAX).transactions();
        Instant oldest = stuck.isEmpty() ? null : stuck.get(stuck.size() - 1).createdAt();
        return new Found(
                stuck.size(),
                stuck.stream().filter(tx -> tx.suspended().isPresent()).count(),
                oldest,
                stuck.isEmpty() ? StuckHealth.UP : whenStuck);
    }
}
