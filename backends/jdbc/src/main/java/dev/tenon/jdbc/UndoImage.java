package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one statement did to the rows of a table, and how that is undone. Immutable.
 *
 * @param kind what the statement did
 * @param before the rows as they were; none for an insert
 * @param after the rows as they were left; none for a delete
 */
record UndoImage(UndoStatement.Kind kind, UndoTable table, List<UndoRow> before, List<UndoRow> after) {
    private static final int DIFFERENCES_MAX = 20;

    /** The class of the SQLSTATEs of a constraint that is violated. */
    private static final String CONSTRAINT = "23";

    UndoImage {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }

    /** The rows that it is about. */
    List<UndoRow> rows() {
        return kind == UndoStatement.Kind.INSERT ? after : before;
    }

    /** The row with the same primary key as {@code like}, locked; none if there is none. */
    static List<UndoRow> current(Connection connection, UndoTable table, UndoRow like) throws SQLException {
        String sql = "SELECT " + table.columnList() + " FROM " + table.name() + " WHERE " + table.keyCondition()
                + " FOR UPDATE";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            like.bind(table, table.key(), query, 1);
            return table.rows(query);
        }
    }

    /**
     * Puts every row back, the last first, if each is as the statement has left it; and looks whether it is back. A row whose
     * constraint another stands in the way of comes after that one.
     *
     * @return the differences, for a person; none if everything was put back
     */
    List<String> undo(Connection connection) throws SQLException {
        List<String> differences = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        for (int i = rows().size() - 1; i >= 0 && differences.size() < DIFFERENCES_MAX; i--) {
            List<UndoRow> now = current(connection, table, rows().get(i));
            if (!now.equals(of(after, i))) {
                differences.add(about(i) + ": " + difference(now, of(after, i), "was left as"));
            }
            open.add(i);
        }
        while (!open.isEmpty() && differences.isEmpty()) {
            open = pass(connection, open, differences);
        }
        return differences;
    }

    /** Puts back what can be; returns the rows that others are in the way of, fewer than there were. */
    private List<Integer> pass(Connection connection, List<Integer> open, List<String> differences)
            throws SQLException {
        List<Integer> later = new ArrayList<>();
        SQLException violated = null;
        for (int i : open) {
            SQLException e = putBackAlone(connection, i);
            if (e != null) {
                violated = e;
                later.add(i);
                continue;
            }
            List<UndoRow> back = current(connection, table, rows().get(i));
            if (!back.equals(of(before, i))) {
                differences.add(about(i) + ": when put back, "
                        + difference(back, of(before, i), "was before (a trigger of the database?)"));
            }
        }
        if (violated != null && later.size() == open.size()) {
            differences.add(about(later.get(later.size() - 1)) + ": " + violated.getMessage());
        }
        return later;
    }

    private String about(int i) {
        return table.describe(rows().get(i));
    }

    private static List<UndoRow> of(List<UndoRow> rows, int i) {
        return rows.isEmpty() ? List.of() : List.of(rows.get(i));
    }

    /** Returns the constraint's error, if one is in the way; then nothing was done. */
    private @Nullable SQLException putBackAlone(Connection connection, int i) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        try {
            putBack(connection, rows().get(i), before.isEmpty(), after.isEmpty());
            connection.releaseSavepoint(savepoint);
            return null;
        } catch (SQLException e) {
            if (!isConstraint(e)) {
                throw e;
            }
            connection.rollback(savepoint);
            return e;
        }
    }

    /** Whether an error tells of a constraint that is violated. */
    static boolean isConstraint(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith(CONSTRAINT);
    }

    private void putBack(Connection connection, UndoRow row, boolean isNew, boolean isGone) throws SQLException {
        if (isNew) {
            run(connection, "DELETE FROM " + table.name() + " WHERE " + table.keyCondition(), row, table.key());
        } else if (isGone) {
            insert(connection, row);
        } else if (!table.others().isEmpty()) {
            update(connection, row);
        }
    }

    /** A 0 comes back as a 0, where a database would count up. */
    private void insert(Connection connection, UndoRow row) throws SQLException {
        List<String> columns = List.copyOf(table.columns().keySet());
        boolean zero = table.counter() != null && "0".equals(row.value(table.counter()));
        if (!zero) {
            run(connection, table.insert(), row, columns);
            return;
        }
        try (Statement mode = connection.createStatement()) {
            mode.execute("SET @tenon_sql_mode = @@sql_mode");
            mode.execute("SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')");
            try {
                run(connection, table.insert(), row, columns);
            } finally {
                mode.execute("SET sql_mode = @tenon_sql_mode");
            }
        }
    }

    private static String difference(List<UndoRow> now, List<UndoRow> left, String expected) {
        if (now.isEmpty()) {
            return "is gone";
        }
        return left.isEmpty() ? "is there again" : now.get(0).difference(left.get(0), expected);
    }

    private void update(Connection connection, UndoRow row) throws SQLException {
        List<String> columns = new ArrayList<>(table.others());
        columns.addAll(table.key());
        run(connection, table.update(), row, columns);
    }

    private void run(Connection connection, String sql, UndoRow row, List<String> columns) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            row.bind(table, columns, statement, 1);
            statement.executeUpdate();
        }
    }
}
