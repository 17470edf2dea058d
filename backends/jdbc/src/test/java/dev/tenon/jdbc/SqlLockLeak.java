package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockLeakContract;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** One row is all that is kept, whatever the number of names. */
abstract class SqlLockLeak extends LockLeakContract {
    private final String url;
    private final String user;
    private final String password;
    private final JdbcBackend backend;

    SqlLockLeak(SqlAddress at) {
        this(at.url(), at.user(), at.password());
    }

    SqlLockLeak(String url, String user, String password) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.backend = JdbcBackend.connect(url, user, password, JdbcOptions.DEFAULT.withForgetAfter(Duration.ZERO));
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Override
    protected LockStore store() {
        return backend.lockStore();
    }

    @Override
    protected long leftBehind() {
        backend.runOnce();
        return count("tenon_lock");
    }

    @Override
    protected long fences() {
        return count("tenon_fence");
    }

    @Override
    protected long fencesMax() {
        return 1;
    }

    private long count(String table) {
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
