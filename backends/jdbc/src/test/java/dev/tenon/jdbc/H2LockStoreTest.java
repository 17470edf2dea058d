package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Waiters of another backend are not told by H2, so the one is also the other. */
class H2LockStoreTest extends LockStoreContract {
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
    protected LockStore store() {
        return backends.one().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return backends.one().lockStore();
    }
}
