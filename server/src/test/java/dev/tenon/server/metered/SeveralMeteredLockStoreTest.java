package dev.tenon.server.metered;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterEach;

/** {@link MeteredLockStore} over a store that takes several at once: {@code MeteredLockStore.Several}. */
class SeveralMeteredLockStoreTest extends MultiLockStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final Metrics metrics = new Metrics();
    private final MultiLockStore metered =
            (MultiLockStore) MeteredLockStore.over(memory.lockStore(), Timed.part("locks"), new LockCounters(metrics));

    @Override
    protected MultiLockStore store() {
        return metered;
    }

    @AfterEach
    void close() {
        memory.close();
        metrics.close();
    }
}
