package dev.tenon.memory;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterEach;

class MemoryMultiLockStoreTest extends MultiLockStoreContract {
    private final MemoryBackend backend = MemoryBackend.create();

    @Override
    protected MultiLockStore store() {
        return backend.lockStore();
    }

    @AfterEach
    void close() {
        backend.close();
    }
}
