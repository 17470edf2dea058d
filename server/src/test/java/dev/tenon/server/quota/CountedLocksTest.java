package dev.tenon.server.quota;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.access.Limits;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterEach;

/** {@link CountedLocks}, and the {@code Several} in it: what is counted is a store as any other. */
class CountedLocksTest extends LockStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final LockStore counted =
            CountedLocks.over(memory.lockStore(), Quotas.within(Limits.DEFAULT).locks());

    @Override
    protected LockStore store() {
        return counted;
    }

    @AfterEach
    void close() {
        memory.close();
    }
}
