package dev.tenon.memory;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterEach;

class MemoryLockStoreTest extends LockStoreContract {
    private final MemoryBackend backend = MemoryBackend.create();

    @Override
    protected LockStore store() {
        return backend.lockStore();
    }

    @AfterEach
    void close() {
        backend.close();
    }
}
