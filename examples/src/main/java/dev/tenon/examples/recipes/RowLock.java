package dev.tenon.examples.recipes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalInt;

/**
 * The pessimistic way: the database locks the row itself, until the end of the transaction. In autocommit mode that is
 * the end of the statement, and the lock is none.
 */
final class RowLock {
    private final Connection connection;

    RowLock(Connection connection) {
        this.connection = connection;
    }

    // tag::pessimistic[]
    void sell(long id) throws SQLException {
        connection.setAutoCommit(false);
        int left = lock(id); // nobody else gets past this line
        if (left > 0) {
            save(id, left - 1);
        }
        connection.commit(); // unlocks
    }

    /** Waits for the row, for as long as the database allows; the answer is what is left of the item. */
    int lock(long id) throws SQLException {
        return select("SELECT n FROM recipe_stock WHERE id = ? FOR UPDATE", id);
    }
    // end::pessimistic[]

    /** What is left, if the row can be locked at once. */
    OptionalInt tryLock(long id) throws SQLException {
        return tryLock("SELECT n FROM recipe_stock WHERE id = ? FOR UPDATE NOWAIT", id);
    }

    /** {@link #tryLock} by a column that has no index. */
    OptionalInt tryLockBySku(String sku) throws SQLException {
        return tryLock("SELECT n FROM recipe_stock WHERE sku = ? FOR UPDATE NOWAIT", sku);
    }

    void save(long id, int left) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE recipe_stock SET n = ?, version = version + 1 WHERE id = ?")) {
            statement.setInt(1, left);
            statement.setLong(2, id);
            statement.executeUpdate();
        }
    }

    private OptionalInt tryLock(String sql, Object key) throws SQLException {
        try {
            return OptionalInt.of(select(sql, key));
        } catch (SQLException e) {
            if (!isTaken(e)) {
                throw e;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return OptionalInt.empty();
        }
    }

    /** Lock not available: PostgreSQL 55P03, H2 HYT00, MySQL and MariaDB 1205 or 3572. */
    private static boolean isTaken(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.equals("55P03") || state.equals("HYT00") || e.getErrorCode() == 1205 || e.getErrorCode() == 3572;
    }

    private int select(String sql, Object key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, key);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getInt(1) : -1;
            }
        }
    }
}
