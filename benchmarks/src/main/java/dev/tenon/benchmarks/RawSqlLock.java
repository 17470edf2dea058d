package dev.tenon.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The two statements that everybody writes first: an insert on a unique key, and a delete of the owner's row. No
 * expiry, no token, no queue, no push: who does not get the lock tries again a millisecond later. The least that a lock
 * in a table can cost when nobody else wants it.
 */
final class RawSqlLock implements LockContender {
    static final String TITLE = "two raw statements";

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final String DELETE = "DELETE FROM raw_lock WHERE name = ? AND owner = ?";

    private final HikariDataSource pool;
    private final String insert;

    RawSqlLock(SqlAddress address) {
        this.pool = SqlPool.to(address);
        SqlPool.execute(
                pool, "CREATE TABLE IF NOT EXISTS raw_lock (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(36) NOT NULL)");
        this.insert = address.url().startsWith("jdbc:postgresql")
                ? "INSERT INTO raw_lock (name, owner) VALUES (?, ?) ON CONFLICT DO NOTHING"
                : "INSERT IGNORE INTO raw_lock (name, owner) VALUES (?, ?)";
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Hold acquire(String name) throws InterruptedException {
        String owner = UUID.randomUUID().toString();
        while (execute(insert, name, owner) == 0) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return () -> {
            while (execute(DELETE, name, owner) == 0) {
                Thread.onSpinWait();
            }
        };
    }

    private int execute(String sql, String name, String owner) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.setString(2, owner);
            return statement.executeUpdate();
        } catch (SQLTransactionRollbackException e) {
            return 0; // MariaDB calls it a deadlock when others insert and delete the same row: try again
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
