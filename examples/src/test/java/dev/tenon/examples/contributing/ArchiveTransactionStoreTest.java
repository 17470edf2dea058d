package dev.tenon.examples.contributing;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.jdbc.JdbcOptions;
import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.AfterEach;

// tag::test[]
class ArchiveTransactionStoreTest extends TransactionStoreContract {
    private final JdbcBackend backend = JdbcBackend.connect(
            "jdbc:h2:mem:archive;DB_CLOSE_DELAY=-1", "sa", "", JdbcOptions.DEFAULT.withDialect(new ArchiveDialect()));

    @Override
    protected TransactionStore store() {
        return backend.transactions();
    }

    @AfterEach
    void close() {
        backend.close();
    }
}
// end::test[]
