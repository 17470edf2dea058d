package dev.tenon.jdbc;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The statements that MySQL would get: read, table of sequences, write unless it has moved. */
class MariaDbPlainRangeStoreTest extends RangeStoreContract {
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
    protected RangeStore store() {
        return backend.ranges();
    }
}
