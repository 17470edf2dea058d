package dev.tenon.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Runs a participant's work in local transactions of its database. {@link #of} takes connections of a pool; a framework
 * that has transactions of its own has one that joins them. Implementations are thread-safe.
 */
@FunctionalInterface
public interface LocalTransactions {
    /**
     * Begins a local transaction, does the work in it, and commits if the reply is {@link Reply.Done}; rolls back if it
     * is anything else, or the work throws.
     *
     * @return what the work has answered, after the commit or the rollback
     * @throws Exception what the work, the commit or the database throws: it may have been committed
     */
    Reply run(Barrier.Work work) throws Exception;

    /** Transactions on connections of {@code database}, each given back as it was. */
    static LocalTransactions of(DataSource database) {
        Objects.requireNonNull(database, "database");
        return work -> {
            try (Connection connection = database.getConnection()) {
                boolean auto = connection.getAutoCommit(); // where it is off already, switching it costs round trips
                if (auto) {
                    connection.setAutoCommit(false);
                }
                try {
                    Reply reply = work.run(connection);
                    if (reply instanceof Reply.Done) {
                        connection.commit();
                    } else {
                        connection.rollback();
                    }
                    return reply;
                } catch (Exception | Error e) {
                    // Of an error as well: autocommit, which comes next, would commit what is there.
                    rollBack(connection, e);
                    throw e;
                } finally {
                    restore(connection, auto);
                }
            }
        };
    }

    private static void rollBack(Connection connection, Throwable why) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    private static void restore(Connection connection, boolean auto) {
        try {
            connection.setAutoCommit(auto);
        } catch (SQLException e) {
            // It is broken, which its pool finds out; what was answered stands.
        }
    }
}
