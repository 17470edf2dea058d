package dev.tenon.jdbc;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlMultiLockStoreTest extends MultiLockStoreContract {
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
    protected MultiLockStore store() {
        return backends.one().lockStore();
    }

    @Override
    protected MultiLockStore otherStore() {
        return backends.other().lockStore();
    }
}
