package dev.tenon.jdbc;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlRangeStoreTest extends RangeStoreContract {
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
    protected RangeStore store() {
        return backends.one().ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return backends.other().ranges();
    }
}
