package dev.tenon.examples.contributing;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.jdbc.JdbcOptions;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ArchiveLockStoreTest extends LockStoreContract {
    private static JdbcBackend backend;

    @BeforeAll
    static void connect() {
        backend = JdbcBackend.connect(
                "jdbc:h2:mem:archive-locks;DB_CLOSE_DELAY=-1",
                "sa",
                "",
                JdbcOptions.DEFAULT.withDialect(new ArchiveDialect()));
    }

    @AfterAll
    static void disconnect() {
        backend.close();
    }

    @Override
    protected LockStore store() {
        return backend.lockStore();
    }
}
