package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;

/** Fencing on every database. */
class JdbcFenceTest {
    private static final String INNODB = "SET innodb_lock_wait_timeout = 1";

    @Nested
    class OnH2 extends JdbcFenceScenario {
        private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

        @Override
        JdbcBackend open() {
            return JdbcBackend.connect(url);
        }

        @Override
        Connection connect() throws SQLException {
            return DriverManager.getConnection(url);
        }

        @Override
        Connection connectElsewhere() throws SQLException {
            return DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID());
        }

        @Override
        String shortLockWait() {
            return "SET LOCK_TIMEOUT 100";
        }
    }

    @Nested
    class OnMariaDb extends OnServer {
        OnMariaDb() {
            super(MariaDbServer::shared, INNODB);
        }
    }

    @Nested
    class OnMySql extends OnServer {
        OnMySql() {
            super(MySqlServer::shared, INNODB);
        }
    }

    /** An update that changes nothing counts no row. */
    @Nested
    class OnMySqlThatCountsOnlyWhatDiffers extends OnServer {
        OnMySqlThatCountsOnlyWhatDiffers() {
            super(() -> MySqlServer.shared().with("useAffectedRows=true"), INNODB);
        }
    }

    @Nested
    class OnMariaDbThatCountsOnlyWhatDiffers extends OnServer {
        OnMariaDbThatCountsOnlyWhatDiffers() {
            super(() -> MariaDbServer.shared().with("useAffectedRows=true"), INNODB);
        }
    }

    @Nested
    class OnPostgres extends OnServer {
        OnPostgres() {
            super(PostgresServer::shared, "SET lock_timeout = 100");
        }
    }

    private abstract static class OnServer extends JdbcFenceScenario {
        private final SqlAddress address;
        private final Supplier<SqlAddress> newDatabase;
        private final String shortLockWait;

        OnServer(Supplier<SqlAddress> newDatabase, String shortLockWait) {
            this.address = newDatabase.get();
            this.newDatabase = newDatabase;
            this.shortLockWait = shortLockWait;
        }

        SqlAddress address() {
            return address;
        }

        @Override
        String shortLockWait() {
            return shortLockWait;
        }

        @Override
        JdbcBackend open() {
            return TwoBackends.connect(address);
        }

        @Override
        Connection connect() throws SQLException {
            return address.connect();
        }

        @Override
        Connection connectElsewhere() throws SQLException {
            return newDatabase.get().connect();
        }
    }
}
