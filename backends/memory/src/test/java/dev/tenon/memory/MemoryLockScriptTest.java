package dev.tenon.memory;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockScriptContract;
import org.junit.jupiter.api.AfterEach;

class MemoryLockScriptTest extends LockScriptContract {
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
