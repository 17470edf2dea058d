package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What one statement did to the rows of a table, and how that is undone. Immutable.
 *
 * @param kind what the statement did
 * @param before the rows as they were; none for an insert
 * @param after the rows as they were left; none for a delete
 */
record UndoImage(UndoStatement.Kind kind, UndoTable table, List<UndoRow> before, List<UndoRow> after) {
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
     * Puts every row back, if each is as the statement has left it.
     *
     * @return the differences, for a person; none if everything was put back
     */
    List<String> undo(Connection connection) throws SQLException {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < rows().size(); i++) {
            UndoRow key = rows().get(i);
            List<UndoRow> now = current(connection, table, key);
            List<UndoRow> left = after.isEmpty() ? List.of() : List.of(after.get(i));
            List<UndoRow> was = before.isEmpty() ? List.of() : List.of(before.get(i));
            if (!now.equals(left)) {
                differences.add(table.describe(key) + ": " + difference(now, left));
            } else if (was.isEmpty()) {
                run(connection, "DELETE FROM " + table.name() + " WHERE " + table.keyCondition(), key, table.key());
            } else if (left.isEmpty()) {
                run(connection, table.insert(), key, List.copyOf(table.columns().keySet()));
            } else if (!table.others().isEmpty()) {
                update(connection, was.get(0));
            }
        }
        return differences;
    }

    private static String difference(List<UndoRow> now, List<UndoRow> left) {
        if (now.isEmpty()) {
            return "is gone";
        }
        return left.isEmpty() ? "is there again" : now.get(0).difference(left.get(0));
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
