package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockScriptContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class H2LockScriptTest extends LockScriptContract {
    private static TwoBackends backends;

    @BeforeAll
    static void connect() {
        backends = TwoBackends.onH2();
    }

    @AfterAll
    static void disconnect() {
        backends.close();
    }

    @Override
    protected LockStore store() {
        return backends.one().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return backends.one().lockStore();
    }
}
