package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts the rows of one image back, the last first, if each is as its statement has left it; many at a time, and one by
 * one where a constraint is in the way. One thread at a time.
 */
final class UndoRestore {
    private static final int DIFFERENCES_MAX = 20;

    /** The class of the SQLSTATEs of a constraint that is violated. */
    private static final String CONSTRAINT = "23";

    /**
     * A {@code sql_mode} of MySQL and MariaDB in which each value that a column can have goes back as it was, a 0 that
     * would be counted up, dates that are none and the empty member of an enum among them: rows are compared after it.
     */
    private static final String EVERY_VALUE = "CONCAT(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(@@sql_mode,"
            + " 'TRADITIONAL', ''), 'STRICT_TRANS_TABLES', ''), 'STRICT_ALL_TABLES', ''), 'NO_ZERO_IN_DATE', ''),"
            + " 'NO_ZERO_DATE', ''), ',ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO')";

    /** MySQL has no SQLSTATE of its own for it. */
    private static final int MYSQL_CHECK_VIOLATED = 3819;

    private final Connection connection;
    private final UndoImage image;
    private final UndoTable table;
    private final List<UndoRow> rows;
    private final List<String> differences = new ArrayList<>();

    UndoRestore(Connection connection, UndoImage image) {
        this.connection = connection;
        this.image = image;
        this.table = image.table();
        this.rows = image.rows();
    }

    /** @return the differences, for a person; none if everything was put back */
    List<String> run() throws SQLException {
        List<String> settings = new ArrayList<>();
        List<String> usual = new ArrayList<>();
        if (table.utc()) {
            settings.add("@tenon_time_zone = @@time_zone, time_zone = '+00:00'");
            usual.add("time_zone = @tenon_time_zone");
        }
        String counter = table.counter();
        if (table.loose() || counter != null && rows.stream().anyMatch(row -> "0".equals(row.value(counter)))) {
            settings.add("@tenon_sql_mode = @@sql_mode, sql_mode = " + EVERY_VALUE);
            usual.add("sql_mode = @tenon_sql_mode");
        }
        if (settings.isEmpty()) {
            return restore();
        }
        try (Statement session = connection.createStatement()) {
            session.execute("SET " + String.join(", ", settings));
            try {
                return restore();
            } finally {
                session.execute("SET " + String.join(", ", usual));
            }
        }
    }

    private List<String> restore() throws SQLException {
        compare(image.after(), "", "was left as");
        if (!differences.isEmpty()) {
            return differences;
        }
        List<List<UndoRow>> parts = SqlOfMany.parts(rows, table.rowsAtOnce());
        List<UndoRow> open = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            List<UndoRow> part = parts.get(i);
            if (inTheWay(() -> putBack(part)) != null) {
                open.addAll(0, part);
            }
        }
        while (!open.isEmpty() && differences.isEmpty()) {
            open = pass(open);
        }
        if (differences.isEmpty()) {
            compare(image.before(), "when put back, ", "was before (a trigger of the database?)");
        }
        return differences;
    }

    /** Notes where rows are not as they should be. */
    private void compare(List<UndoRow> expected, String when, String words) throws SQLException {
        List<List<UndoRow>> parts = SqlOfMany.parts(rows, table.rowsAtOnce());
        for (int part = parts.size() - 1; part >= 0; part--) {
            Map<List<@Nullable String>, UndoRow> now = UndoImage.current(connection, table, parts.get(part));
            for (int i = parts.get(part).size() - 1; i >= 0; i--) {
                if (differences.size() == DIFFERENCES_MAX) {
                    return;
                }
                UndoRow row = parts.get(part).get(i);
                UndoRow left = expected.isEmpty() ? null : expected.get(part * table.rowsAtOnce() + i);
                UndoRow found = now.get(table.keyOf(row));
                if (found == null ? left != null : !found.equals(left)) {
                    differences.add(table.describe(row) + ": " + when + difference(found, left, words));
                }
            }
        }
    }

    private static String difference(@Nullable UndoRow now, @Nullable UndoRow left, String words) {
        if (now == null) {
            return "is gone";
        }
        return left == null ? "is there again" : now.difference(left, words);
    }

    /** Puts back what can be, one by one; returns the rows that others are in the way of, fewer than there were. */
    private List<UndoRow> pass(List<UndoRow> open) throws SQLException {
        List<UndoRow> later = new ArrayList<>();
        SQLException violated = null;
        for (int i = open.size() - 1; i >= 0; i--) {
            List<UndoRow> row = List.of(open.get(i));
            SQLException e = inTheWay(() -> putBack(row));
            if (e != null) {
                violated = e;
                later.add(open.get(i));
            }
        }
        if (violated != null && later.size() == open.size()) {
            if (inRing(open)) {
                return List.of();
            }
            differences.add(table.describe(later.get(later.size() - 1)) + ": " + violated.getMessage());
        }
        Collections.reverse(later);
        return later;
    }

    /**
     * Puts rows back that refer to each other in a ring, or to themselves: deleted ones first without their references,
     * which come after; new ones lose their references before they go.
     */
    private boolean inRing(List<UndoRow> part) throws SQLException {
        Set<String> references = table.cascades().own();
        if (references.isEmpty() || !image.before().isEmpty() && !image.after().isEmpty()) {
            return false;
        }
        List<UndoRow> loose = part.stream().map(row -> row.without(references)).toList();
        SQLException e = inTheWay(() -> {
            if (image.after().isEmpty()) {
                insert(loose);
                update(part);
            } else {
                update(loose);
                putBack(part);
            }
        });
        return e == null;
    }

    @FunctionalInterface
    private interface Writing {
        void run() throws SQLException;
    }

    /** Writes all, or nothing; returns the constraint's error, if one is in the way. */
    private @Nullable SQLException inTheWay(Writing writing) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        try {
            writing.run();
            connection.releaseSavepoint(savepoint);
            return null;
        } catch (SQLException e) {
            for (SQLException each = e; each != null; each = each.getNextException()) {
                if (isConstraint(each)) {
                    connection.rollback(savepoint);
                    return each;
                }
            }
            throw e;
        }
    }

    /** Whether an error tells of a constraint that is violated. */
    static boolean isConstraint(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith(CONSTRAINT)
                || e.getErrorCode() == MYSQL_CHECK_VIOLATED;
    }

    private void putBack(List<UndoRow> part) throws SQLException {
        if (image.before().isEmpty()) {
            String sql = "DELETE FROM " + table.name() + " WHERE " + table.keysCondition(part.size());
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                int next = 1;
                for (UndoRow row : part) {
                    next = row.bind(table, table.key(), statement, next);
                }
                statement.executeUpdate();
            }
        } else if (image.after().isEmpty()) {
            insert(part);
        } else if (!table.others().isEmpty()) {
            update(part);
        }
    }

    private void update(List<UndoRow> part) throws SQLException {
        List<String> columns = new ArrayList<>(table.others());
        columns.addAll(table.key());
        batch(table.update(), part, columns);
    }

    private void insert(List<UndoRow> part) throws SQLException {
        batch(table.insert(), part, List.copyOf(table.columns().keySet()));
    }

    /** The last first. */
    private void batch(String sql, List<UndoRow> part, List<String> columns) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = part.size() - 1; i >= 0; i--) {
                part.get(i).bind(table, columns, statement, 1);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
