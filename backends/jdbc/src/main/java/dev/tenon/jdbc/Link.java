package dev.tenon.jdbc;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A connection in autocommit mode, with its prepared statements: each of them is prepared once and then costs one round
 * trip a call. One thread at a time.
 */
final class Link {
    private final Connection connection;
    private final Map<Sql, PreparedStatement> prepared = new IdentityHashMap<>();
    private boolean used;
    private long restingSinceNanos;

    Link(Connection connection) {
        this.connection = connection;
    }

    /** One row of a result, as a value. */
    @FunctionalInterface
    interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    Connection connection() {
        return connection;
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

    /** A script without parameters, which is not worth preparing. */
    void execute(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    /** Closes the connection; what goes wrong while doing so is of no interest to anybody. */
    void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is gone in any case.
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
            prepared.put(sql, known);
        }
        return known;
    }
}
