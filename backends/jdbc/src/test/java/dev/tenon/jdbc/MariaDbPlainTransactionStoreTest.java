package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The statements that MySQL would get: one after the other, in a transaction. */
class MariaDbPlainTransactionStoreTest extends TransactionStoreContract {
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
    protected TransactionStore store() {
        return backend.transactions();
    }
}
