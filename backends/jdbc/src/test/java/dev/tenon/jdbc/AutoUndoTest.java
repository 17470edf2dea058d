package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;

/** Automatic undo on every database. */
class AutoUndoTest {
    @Nested
    class OnH2 extends AutoUndoScenario {
        private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

        @Override
        JdbcBackend open() {
            return JdbcBackend.connect(url);
        }

        @Override
        DataSource source() {
            return JdbcBackendTest.source(url, "", "");
        }

        @Override
        String bytes() {
            return "VARBINARY(100)";
        }
    }

    @Nested
    class OnMariaDb extends OnServer {
        OnMariaDb() {
            super(MariaDbServer.shared());
        }

        @Override
        String bytes() {
            return "VARBINARY(100)";
        }
    }

    @Nested
    class OnMySql extends OnServer {
        OnMySql() {
            super(MySqlServer.shared());
        }

        @Override
        String bytes() {
            return "VARBINARY(100)";
        }
    }

    /** As those have it who came from MariaDB. */
    @Nested
    class OnMySqlByMariaDbsDriver extends AutoUndoScenario {
        private final DataSource source = AutoUndoBench.byMariaDbsDriver(MySqlServer.shared());

        @Override
        JdbcBackend open() {
            return JdbcBackend.over(source);
        }

        @Override
        DataSource source() {
            return source;
        }

        @Override
        String bytes() {
            return "VARBINARY(100)";
        }
    }

    @Nested
    class OnPostgres extends OnServer {
        OnPostgres() {
            super(PostgresServer.shared());
        }

        @Override
        String bytes() {
            return "BYTEA";
        }
    }

    private abstract static class OnServer extends AutoUndoScenario {
        private final SqlAddress address;

        OnServer(SqlAddress address) {
            this.address = address;
        }

        @Override
        JdbcBackend open() {
            return TwoBackends.connect(address);
        }

        @Override
        DataSource source() {
            return JdbcBackendTest.source(address.url(), address.user(), address.password());
        }
    }
}
