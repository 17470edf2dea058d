package dev.tenon.client;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import org.junit.jupiter.api.AfterAll;

class ClientDefinitionStoreTest extends DefinitionStoreContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

    @Override
    protected DefinitionStore store() {
        return HERE.definitions();
    }

    @Override
    protected DefinitionStore otherStore() {
        return THERE.definitions();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
