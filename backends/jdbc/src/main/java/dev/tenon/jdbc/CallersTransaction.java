package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * What holds for every statement inside a transaction of the caller's: it must be one, and whatever breaks has no
 * effect, since only the caller's commit gives it any.
 */
final class CallersTransaction {
    private CallersTransaction() {}

    /** @param why the start of the message, up to "is part of a transaction" */
    static void require(Connection connection, String why) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    why + " is part of a transaction: setAutoCommit(false), and commit after the"
                            + " row that it is for is written");
        }
    }

    /**
     * @param target what the statement was about, in the middle of a sentence
     * @param nothing how the message begins if the statement can't work in this database
     */
    static TenonException failed(Dialect dialect, SQLException e, String target, String nothing) {
        String message = ": " + e.getMessage() + " (SQLSTATE " + e.getSQLState() + ", error " + e.getErrorCode() + ")";
        return switch (dialect.failure(e)) {
            case CONTENTION ->
                new BackendUnavailableException(
                        "Another transaction was in the way of " + target
                                + "; roll back, and run this transaction again from its start" + message,
                        e);
            case BROKEN ->
                new BackendUnavailableException(
                        "The connection broke, and its transaction with it; run it again from its start" + message, e);
            case REFUSED -> new BackendUnavailableException("The database refused" + message, e);
            case WRONG -> new TenonException(nothing + "; is this connection of the backend's database?" + message, e);
        };
    }

    /** As {@link #failed}, of a statement that commits as well: where the connection broke, it may have. */
    static TenonException failedToCommit(Dialect dialect, SQLException e, String target, String nothing) {
        return dialect.failure(e) == SqlFailure.BROKEN
                ? new OutcomeUnknownException(
                        "The connection broke while a transaction with " + target
                                + " was committed: look whether it was, and run it again from its start if not: "
                                + e.getMessage(),
                        e)
                : failed(dialect, e, target, nothing);
    }
}
