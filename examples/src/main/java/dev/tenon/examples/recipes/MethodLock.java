package dev.tenon.examples.recipes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A lock is a row in a table with a unique column. Nothing ends it but its deletion, it knows no owner, and who does
 * not get it is told so at once. On a connection in autocommit mode: else those who come second wait for the end of the
 * first one's transaction, and not for its unlock.
 */
final class MethodLock {
    private final Connection connection;

    MethodLock(Connection connection) {
        this.connection = connection;
    }

    // tag::plain[]
    /** False: it is taken. */
    boolean tryLock(String method) throws SQLException {
        String insert = "INSERT INTO method_lock (method_name, update_time) VALUES (?, CURRENT_TIMESTAMP)";
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, method);
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("23")) { // the row is there: integrity constraint violated
                return false;
            }
            throw e;
        }
    }

    void unlock(String method) throws SQLException {
        String delete = "DELETE FROM method_lock WHERE method_name = ?";
        try (PreparedStatement statement = connection.prepareStatement(delete)) {
            statement.setString(1, method);
            statement.executeUpdate();
        }
    }
    // end::plain[]
}
