package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.mariadb.jdbc.MariaDbDataSource;

/** MySQL over a pool of those who have MariaDB's driver. */
class MySqlByMariaDbsDriverTest extends LockStoreContract {
    private static JdbcBackend one;
    private static JdbcBackend other;

    @BeforeAll
    static void connect() throws SQLException {
        SqlAddress at = MySqlServer.shared();
        MariaDbDataSource source = new MariaDbDataSource(at.url().replace("jdbc:mysql:", "jdbc:mariadb:"));
        source.setUser(at.user());
        source.setPassword(at.password());
        one = JdbcBackend.over(source);
        other = JdbcBackend.over(source);
    }

    @AfterAll
    static void disconnect() {
        one.close();
        other.close();
    }

    @Override
    protected LockStore store() {
        return one.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return other.lockStore();
    }
}
