package dev.tenon.jdbc;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Waiters of another backend are not told by H2, so the one is also the other. */
class H2MultiLockStoreTest extends MultiLockStoreContract {
    private static TwoBackends backends;

    @BeforeAll
    static void connect() {
        backends = TwoBackends.onH2();
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
        return backends.one().lockStore();
    }
}
