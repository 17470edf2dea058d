package dev.tenon.jdbc;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

class H2RangeStoreTest extends RangeStoreContract {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcBackend other = JdbcBackend.connect(url);

    @Override
    protected RangeStore store() {
        return backend.ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return other.ranges();
    }

    @AfterEach
    void close() {
        backend.close();
        other.close();
    }
}
