package dev.tenon.jdbc;

import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The statements that MySQL would get: one after the other, in a transaction. */
class MySqlPlainTransactionStoreTest extends TransactionStoreContract {
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
    protected TransactionStore store() {
        return backend.transactions();
    }
}
