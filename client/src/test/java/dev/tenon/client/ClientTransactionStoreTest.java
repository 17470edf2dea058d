package dev.tenon.client;

import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterAll;

class ClientTransactionStoreTest extends TransactionStoreContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

    @Override
    protected TransactionStore store() {
        return HERE.transactions();
    }

    @Override
    protected TransactionStore otherStore() {
        return THERE.transactions();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
