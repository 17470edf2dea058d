package dev.tenon.client;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.faults.LockHistoryContract;
import org.junit.jupiter.api.AfterAll;

class ClientLockHistoryTest extends LockHistoryContract {
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
