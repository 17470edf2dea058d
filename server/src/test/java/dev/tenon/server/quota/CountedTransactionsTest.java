package dev.tenon.server.quota;

import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.access.Limits;
import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterEach;

/** A log whose transactions are counted is a log as any other. */
class CountedTransactionsTest extends TransactionStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final TransactionStore counted = new CountedTransactions(
            memory.transactions(), Quotas.within(Limits.DEFAULT).transactions());

    @Override
    protected TransactionStore store() {
        return counted;
    }

    @AfterEach
    void close() {
        memory.close();
    }
}
