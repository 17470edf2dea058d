package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

class H2LockStoreTest extends LockStoreContract {
    private final JdbcBackend backend = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Override
    protected LockStore store() {
        return backend.lockStore();
    }

    @AfterEach
    void close() {
        backend.close();
    }
}
