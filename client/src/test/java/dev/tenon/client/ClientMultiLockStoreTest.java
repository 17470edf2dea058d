package dev.tenon.client;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterAll;

class ClientMultiLockStoreTest extends MultiLockStoreContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

    @Override
    protected MultiLockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected MultiLockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
