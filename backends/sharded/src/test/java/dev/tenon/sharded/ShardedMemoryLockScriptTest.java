package dev.tenon.sharded;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockScriptContract;
import org.junit.jupiter.api.AfterAll;

class ShardedMemoryLockScriptTest extends LockScriptContract {
    private static final ThreeStores STORES = ThreeStores.inMemory();

    @Override
    protected LockStore store() {
        return STORES.here().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return STORES.there().lockStore();
    }

    @AfterAll
    static void close() {
        STORES.close();
    }
}
