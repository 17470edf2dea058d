package dev.tenon.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * MySQL's own lock for sessions, {@code GET_LOCK}: it waits in the server, and is held as long as its connection lives,
 * so each holder and each waiter has one of the pool's. No lease, no token.
 */
final class GetLockLock implements LockContender {
    private final HikariDataSource pool;

    GetLockLock(SqlAddress address) {
        this.pool = SqlPool.to(address);
    }

    @Override
    public String title() {
        return "`GET_LOCK`";
    }

    @Override
    public Hold acquire(String name) {
        try {
            Connection connection = pool.getConnection();
            call(connection, "SELECT GET_LOCK(?, 3600)", name);
            return () -> {
                try (connection) {
                    call(connection, "SELECT RELEASE_LOCK(?)", name);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            };
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void call(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next() || row.getInt(1) != 1) {
                    throw new IllegalStateException(sql + " failed");
                }
            }
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
