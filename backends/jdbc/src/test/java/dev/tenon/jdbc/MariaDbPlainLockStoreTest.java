package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The statements that MySQL would get: read, state machine, write under the row's version. */
class MariaDbPlainLockStoreTest extends LockStoreContract {
    private static JdbcBackend backend;

    @BeforeAll
    static void connect() {
        backend = TwoBackends.connectPlain(MariaDbServer.shared());
    }

    @AfterAll
    static void disconnect() {
        backend.close();
    }

    @Override
    protected LockStore store() {
        return backend.lockStore();
    }
}
