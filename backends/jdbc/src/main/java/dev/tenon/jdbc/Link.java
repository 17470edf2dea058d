package dev.tenon.jdbc;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection in autocommit mode, with its prepared statements: each of them is prepared once and then costs one round
 * trip a call. One thread at a time.
 */
final class Link {
    private final Connection connection;
    private final @Nullable Sql isolation;
    private final int patienceSeconds;
    private final Map<Sql, PreparedStatement> prepared = new IdentityHashMap<>();
    private boolean limited;
    private boolean used;
    private long restingSinceNanos;

    /** A link whose transactions are as isolated as the connection has it. */
    Link(Connection connection) {
        this(connection, null);
    }

    /** @param isolation what a transaction of this link begins with */
    Link(Connection connection, @Nullable Sql isolation) {
        this(connection, isolation, 0);
    }

    private Link(Connection connection, @Nullable Sql isolation, int patienceSeconds) {
        this.connection = connection;
        this.isolation = isolation;
        this.patienceSeconds = patienceSeconds;
    }

    /** A link whose statements are broken off when they take longer. */
    static Link impatient(Connection connection, int seconds) {
        return new Link(connection, null, seconds);
    }

    /** One row of a result, as a value. */
    @FunctionalInterface
    interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    Connection connection() {
        return connection;
    }

    /**
     * Limits how long the server may be silent in a call, until {@link #close}, if whoever set the connection up has
     * not. Known to the driver alone: no round trip.
     */
    void limit(Duration silence) {
        try {
            if (connection.getNetworkTimeout() == 0) {
                connection.setNetworkTimeout(Runnable::run, Math.toIntExact(silence.toMillis()));
                limited = true;
            }
        } catch (SQLException | AbstractMethodError e) {
            // A driver without such a limit, or a connection that is broken, as the first statement will say.
        }
    }

    /** Whether this link has served a caller before: only then may the server have gone away behind its back. */
    boolean used() {
        return used;
    }

    void rest(long nanoTime) {
        used = true;
        restingSinceNanos = nanoTime;
    }

    long restingSinceNanos() {
        return restingSinceNanos;
    }

    /** The rows of the last result that the statement gives, which may be a script of several. */
    <T> List<T> query(Sql sql, Args args, Mapper<T> mapper) throws SQLException {
        PreparedStatement statement = statement(sql);
        args.bind(sql, statement);
        List<T> rows = new ArrayList<>(1);
        boolean result = statement.execute();
        while (result || statement.getUpdateCount() != -1) {
            if (result) {
                rows.clear();
                try (ResultSet set = statement.getResultSet()) {
                    while (set.next()) {
                        rows.add(mapper.map(set));
                    }
                }
            }
            result = statement.getMoreResults();
        }
        return rows;
    }

    /** How many rows the statement found. */
    int update(Sql sql, Args args) throws SQLException {
        PreparedStatement statement = statement(sql);
        args.bind(sql, statement);
        return statement.executeUpdate();
    }

    /** One statement with many values, sent together. How many rows each of them found. */
    int[] batch(Sql sql, List<Args> all) throws SQLException {
        PreparedStatement statement = statement(sql);
        for (Args args : all) {
            args.bind(sql, statement);
            statement.addBatch();
        }
        try {
            return statement.executeBatch();
        } catch (BatchUpdateException e) {
            throw e.getNextException() == null ? e : e.getNextException();
        } finally {
            statement.clearBatch();
        }
    }

    /** Statements that take effect together or, if one of them fails, not at all. */
    @FunctionalInterface
    interface Transaction<T> {
        T run() throws SQLException;
    }

    /** Runs a transaction; this link is in autocommit mode before and after. */
    <T> T atomically(Transaction<T> transaction) throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            if (isolation != null) {
                execute(isolation.text());
            }
            result = transaction.run();
            connection.setAutoCommit(true); // commits, as JDBC has it: one round trip less than to do so first
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
        return result;
    }

    /** Ends, without effect, a transaction that a script of several statements may have left open. */
    void undo(SQLException why) {
        try {
            execute("ROLLBACK");
        } catch (SQLException e) {
            why.addSuppressed(e);
            close(); // whoever gets this link next must not find a transaction in it
        }
    }

    private void rollBack(Exception why) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            why.addSuppressed(e);
            close(); // whoever gets this link next must not find a transaction in it
        }
    }

    /** A script without parameters, which is not worth preparing. */
    void execute(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    /** Closes what was prepared, and leaves the connection to whom it belongs. */
    void closeStatements() {
        for (PreparedStatement statement : prepared.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                // It is gone in any case, and what it was for has had its answer, or its error.
            }
        }
        prepared.clear();
    }

    /** Closes the connection; what goes wrong while doing so is of no interest to anybody. */
    void close() {
        if (limited) {
            limited = false;
            lift();
        }
        try {
            connection.close();
        } catch (SQLException e) {
            // It is gone in any case.
        }
    }

    /** A pool need not do it, and then a long statement of the connection's next borrower would be broken off. */
    private void lift() {
        try {
            connection.setNetworkTimeout(Runnable::run, 0);
        } catch (SQLException e) {
            // It is broken: nobody will borrow it.
        }
    }

    /** Ends the connection from another thread, whatever it is doing. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // It is gone in any case.
        }
    }

    private PreparedStatement statement(Sql sql) throws SQLException {
        PreparedStatement known = prepared.get(sql);
        if (known == null) {
            known = connection.prepareStatement(sql.text());
            if (patienceSeconds > 0) {
                known.setQueryTimeout(patienceSeconds);
            }
            prepared.put(sql, known);
        }
        return known;
    }
}
