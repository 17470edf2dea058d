package dev.tenon.server.metered;

import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterEach;

class MeteredTransactionStoreTest extends TransactionStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final Metrics metrics = new Metrics();
    private final TransactionStore metered = new MeteredTransactionStore(
            memory.transactions(), Timed.part("transactions"), new TransactionCounters(metrics));

    @Override
    protected TransactionStore store() {
        return metered;
    }

    @AfterEach
    void close() {
        memory.close();
        metrics.close();
    }
}
