package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

/** {@link JdbcOutboxStore} on every database. */
class JdbcOutboxStoreTest {
    @Nested
    class OnH2 extends OutboxOnDatabase {
        OnH2() {
            super("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        }
    }

    @Nested
    class OnMariaDb extends OutboxOnDatabase {
        OnMariaDb() {
            super(MariaDbServer.shared());
        }
    }

    @Nested
    class OnMySql extends OutboxOnDatabase {
        OnMySql() {
            super(MySqlServer.shared());
        }
    }

    @Nested
    class OnPostgres extends OutboxOnDatabase {
        OnPostgres() {
            super(PostgresServer.shared());
        }
    }
}
