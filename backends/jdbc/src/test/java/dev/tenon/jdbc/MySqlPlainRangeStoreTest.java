package dev.tenon.jdbc;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The statements without stored routines: read, table of sequences, write unless it has moved. */
class MySqlPlainRangeStoreTest extends RangeStoreContract {
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
    protected RangeStore store() {
        return backend.ranges();
    }
}
