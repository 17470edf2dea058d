package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a statement, or several of a kind, did to the rows of a table. Immutable.
 *
 * @param kind what the statement did
 * @param before the rows as they were; none for an insert
 * @param after the rows as they were left; none for a delete
 */
record UndoImage(UndoStatement.Kind kind, UndoTable table, List<UndoRow> before, List<UndoRow> after) {
    /** Rows that are noted together. */
    private static final int MERGED_MAX = 1_000;

    UndoImage {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }

    /** The rows that it is about. */
    List<UndoRow> rows() {
        return kind == UndoStatement.Kind.INSERT ? after : before;
    }

    /** Statements that follow each other, and do the same to different rows of a table, as one. */
    static List<UndoImage> merged(List<UndoImage> images) {
        List<UndoImage> merged = new ArrayList<>();
        List<UndoImage> run = new ArrayList<>();
        Set<List<@Nullable String>> keys = new HashSet<>();
        for (UndoImage image : images) {
            UndoImage last = run.isEmpty() ? image : run.get(run.size() - 1);
            List<List<@Nullable String>> own =
                    image.rows().stream().map(image.table::keyOf).toList();
            boolean follows = last.kind == image.kind
                    && last.table.equals(image.table)
                    && keys.size() + own.size() <= MERGED_MAX
                    && own.stream().noneMatch(keys::contains);
            if (!follows && !run.isEmpty()) {
                merged.add(one(run));
                run.clear();
                keys.clear();
            }
            run.add(image);
            keys.addAll(own);
        }
        if (!run.isEmpty()) {
            merged.add(one(run));
        }
        return merged;
    }

    private static UndoImage one(List<UndoImage> run) {
        UndoImage first = run.get(0);
        return new UndoImage(
                first.kind,
                first.table,
                run.stream().flatMap(image -> image.before.stream()).toList(),
                run.stream().flatMap(image -> image.after.stream()).toList());
    }

    /** Those rows that there are, of the same primary keys as these, by {@link UndoTable#keyOf}; locked. */
    static Map<List<@Nullable String>, UndoRow> current(Connection connection, UndoTable table, List<UndoRow> like)
            throws SQLException {
        Map<List<@Nullable String>, UndoRow> found = new HashMap<>();
        for (List<UndoRow> part : SqlOfMany.parts(like, table.rowsAtOnce())) {
            String sql = "SELECT " + table.columnList() + " FROM " + table.name() + " WHERE "
                    + table.keysCondition(part.size()) + " FOR UPDATE";
            try (PreparedStatement query = connection.prepareStatement(sql)) {
                int next = 1;
                for (UndoRow row : part) {
                    next = row.bind(table, table.key(), query, next);
                }
                table.rows(query).forEach(row -> found.put(table.keyOf(row), row));
            }
        }
        return found;
    }

    /**
     * Puts every row back, the last first, if each is as the statement has left it; and looks whether it is back. A row
     * whose constraint another stands in the way of comes after that one.
     *
     * @return the differences, for a person; none if everything was put back
     */
    List<String> undo(Connection connection) throws SQLException {
        return new UndoRestore(connection, this).run();
    }
}
