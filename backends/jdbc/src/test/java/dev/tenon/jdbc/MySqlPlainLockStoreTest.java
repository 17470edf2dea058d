package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.MySqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The statements without stored routines: read, state machine, write under the row's version. */
class MySqlPlainLockStoreTest extends LockStoreContract {
    private static JdbcBackend backend;

    @BeforeAll
    static void connect() {
        backend = TwoBackends.connectPlain(MySqlServer.shared());
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
