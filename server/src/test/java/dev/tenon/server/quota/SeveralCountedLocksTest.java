package dev.tenon.server.quota;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.access.Limits;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterEach;

/** {@link CountedLocks} over a store that takes several at once: {@code CountedLocks.Several}. */
class SeveralCountedLocksTest extends MultiLockStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final MultiLockStore counted = (MultiLockStore)
            CountedLocks.over(memory.lockStore(), Quotas.within(Limits.DEFAULT).locks());

    @Override
    protected MultiLockStore store() {
        return counted;
    }

    @AfterEach
    void close() {
        memory.close();
    }
}
