package dev.tenon.jdbc;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.WorkerIdSourceContract;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

class H2WorkerIdSourceTest extends WorkerIdSourceContract {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcBackend other = JdbcBackend.connect(url);

    @Override
    protected WorkerIdSource source(String group) {
        return backend.workerIds(group);
    }

    @Override
    protected WorkerIdSource otherSource(String group) {
        return other.workerIds(group);
    }

    @AfterEach
    void close() {
        backend.close();
        other.close();
    }
}
