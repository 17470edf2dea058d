package dev.tenon.client;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.Node;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterAll;

/** Over a store that keeps nothing. */
class ClientMemoryLockStoreTest extends LockStoreContract {
    private static final Node NODE = Clients.memoryNode();
    private static final TenonClient HERE = Clients.of(NODE);
    private static final TenonClient THERE = Clients.of(NODE);

    @Override
    protected LockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
        NODE.close();
    }
}
