package dev.tenon.jdbc;

import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlTransactionStoreTest extends TransactionStoreContract {
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
    protected TransactionStore store() {
        return backends.one().transactions();
    }

    @Override
    protected TransactionStore otherStore() {
        return backends.other().transactions();
    }
}
