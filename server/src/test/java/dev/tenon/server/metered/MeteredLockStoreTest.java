package dev.tenon.server.metered;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterEach;

/** {@link MeteredLockStore}, and the {@code Several} in it: what is metered is a store as any other. */
class MeteredLockStoreTest extends LockStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final Metrics metrics = new Metrics();
    private final LockStore metered =
            MeteredLockStore.over(memory.lockStore(), Timed.part("locks"), new LockCounters(metrics));

    @Override
    protected LockStore store() {
        return metered;
    }

    @AfterEach
    void close() {
        memory.close();
        metrics.close();
    }
}
