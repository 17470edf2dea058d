package dev.tenon.jdbc;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlDefinitionStoreTest extends DefinitionStoreContract {
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
    protected DefinitionStore store() {
        return backends.one().definitions();
    }

    @Override
    protected DefinitionStore otherStore() {
        return backends.other().definitions();
    }
}
