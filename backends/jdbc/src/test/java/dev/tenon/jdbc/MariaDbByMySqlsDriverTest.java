package dev.tenon.jdbc;

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** MariaDB over a pool of those who have the driver of MySQL, which takes it for MySQL. */
class MariaDbByMySqlsDriverTest extends LockStoreContract {
    private static JdbcBackend one;
    private static JdbcBackend other;

    @BeforeAll
    static void connect() throws SQLException {
        SqlAddress at = MariaDbServer.shared();
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(at.url().replace("jdbc:mariadb:", "jdbc:mysql:") + "?sslMode=DISABLED");
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
