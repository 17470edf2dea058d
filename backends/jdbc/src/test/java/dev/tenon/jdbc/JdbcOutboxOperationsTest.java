package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.OutboxOperationsContract;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/** {@link JdbcOutboxOperations} on every database. */
class JdbcOutboxOperationsTest {
    @Nested
    class OnH2 extends OperationsOnDatabase {
        OnH2() {
            super("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        }
    }

    @Nested
    class OnMariaDb extends OperationsOnDatabase {
        OnMariaDb() {
            super(MariaDbServer.shared());
        }
    }

    @Nested
    class OnMySql extends OperationsOnDatabase {
        OnMySql() {
            super(MySqlServer.shared());
        }
    }

    @Nested
    class OnPostgres extends OperationsOnDatabase {
        OnPostgres() {
            super(PostgresServer.shared());
        }
    }

    /** The operations of one database. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OperationsOnDatabase extends OutboxOperationsContract {
        private final String url;
        private final String user;
        private final String password;
        private final JdbcBackend one;
        private final JdbcBackend other;

        OperationsOnDatabase(SqlAddress at) {
            this(at.url(), at.user(), at.password());
        }

        OperationsOnDatabase(String url, String user, String password) {
            this.url = url;
            this.user = user;
            this.password = password;
            this.one = JdbcBackend.connect(url, user, password);
            this.other = JdbcBackend.connect(url, user, password);
        }

        @AfterAll
        void disconnect() {
            one.close();
            other.close();
        }

        @Override
        protected OutboxStore store() {
            return one.outbox();
        }

        @Override
        protected OutboxStore otherStore() {
            return other.outbox();
        }

        @Override
        protected Connection connect() throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }
    }
}
