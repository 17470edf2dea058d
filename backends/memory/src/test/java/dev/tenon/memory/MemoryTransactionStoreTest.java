package dev.tenon.memory;

import dev.tenon.ManualClock;
import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Instant;
import java.util.Optional;

class MemoryTransactionStoreTest extends TransactionStoreContract {
    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final TransactionStore store = new MemoryTransactionStore(clock);

    @Override
    protected TransactionStore store() {
        return store;
    }

    @Override
    protected Optional<ManualClock> clock() {
        return Optional.of(clock);
    }
}
