package dev.tenon.client;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.DistributedLockContract;
import org.junit.jupiter.api.AfterAll;

class ClientDistributedLockTest extends DistributedLockContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

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
    }
}
