package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.faults.LockHistoryContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlLockHistoryTest extends LockHistoryContract {
    private static TwoBackends backends;

    @BeforeAll
    static void connect() {
        backends = TwoBackends.onMySql();
    }

    @AfterAll
    static void disconnect() {
        backends.close();
    }

    @Override
    protected LockStore store() {
        return backends.one().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return backends.other().lockStore();
    }
}
