package dev.tenon.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The values of one row as texts, by the names of the columns in lower case: an image from before or after a statement.
 * Immutable.
 */
final class UndoRow {
    private final Map<String, @Nullable String> values;
    private final Map<String, String> same;
    private final Set<String> lost;

    private UndoRow(Map<String, @Nullable String> values) {
        this(values, Map.of(), Set.of());
    }

    /** What comes after the values is known of rows that were just read, and no part of what is noted. */
    private UndoRow(Map<String, @Nullable String> values, Map<String, String> same, Set<String> lost) {
        this.values = values;
        this.same = same;
        this.lost = lost;
    }

    /** The same row, with a text for some columns that all values have which are one to a unique key. */
    UndoRow withSameness(Map<String, String> other) {
        return new UndoRow(values, Map.copyOf(other), lost);
    }

    /** The same row, with the columns whose values can't be made again. */
    UndoRow withLost(Set<String> columns) {
        return new UndoRow(values, same, Set.copyOf(columns));
    }

    /** The columns whose values can't be made again from what was read. */
    Set<String> lost() {
        return lost;
    }

    /** What is the same for every value that is one with this column's to a unique key. */
    @Nullable
    String sameness(String column) {
        String text = same.get(column);
        return text == null ? value(column) : text;
    }

    static UndoRow read(UndoTable table, ResultSet set) throws SQLException {
        Map<String, @Nullable String> values = new TreeMap<>();
        int i = 1;
        for (Map.Entry<String, UndoColumn> column : table.columns().entrySet()) {
            values.put(column.getKey(), column.getValue().isBinary() ? base64(set.getBytes(i)) : set.getString(i));
            i++;
        }
        return new UndoRow(values);
    }

    @Nullable
    String value(String column) {
        return values.get(column);
    }

    /** The same row, with nothing in these columns. */
    UndoRow without(Set<String> columns) {
        Map<String, @Nullable String> fewer = new TreeMap<>(values);
        columns.forEach(column -> fewer.put(column, null));
        return new UndoRow(fewer);
    }

    /** Gives the values of these columns to a statement, from parameter {@code first} on; returns the next. */
    int bind(UndoTable table, List<String> columns, PreparedStatement statement, int first) throws SQLException {
        int i = first;
        for (String column : columns) {
            bind(table.column(column), values.get(column), statement, i);
            i++;
        }
        return i;
    }

    /** Gives a value of one column to a statement. */
    static void bind(UndoColumn column, @Nullable String value, PreparedStatement statement, int index)
            throws SQLException {
        if (value == null) {
            statement.setNull(index, column.type());
        } else if (column.isBinary()) {
            statement.setBytes(index, Base64.getDecoder().decode(value));
        } else {
            statement.setObject(index, value, column.type());
        }
    }

    /** What differs from {@code other}, for a person. */
    String difference(UndoRow other, String expected) {
        List<String> differences = new ArrayList<>();
        values.forEach((column, value) -> {
            String theirs = other.values.get(column);
            if (!Objects.equals(value, theirs)) {
                differences.add(column + " is " + value + " and " + expected + " " + theirs);
            }
        });
        return String.join(", ", differences);
    }

    /** Rows as a text: {@code length:name length:value …}, {@code -} for a null, a line for each row. */
    static String write(List<UndoRow> rows) {
        StringBuilder text = new StringBuilder();
        for (UndoRow row : rows) {
            text.append(row.values.size()).append('|');
            row.values.forEach((column, value) -> {
                append(text, column);
                append(text, value);
            });
            text.append('\n');
        }
        return text.toString();
    }

    private static void append(StringBuilder text, @Nullable String part) {
        if (part == null) {
            text.append("-|");
        } else {
            text.append(part.length()).append('|').append(part).append(' ');
        }
    }

    /** The rows of a {@link #write written} text. */
    static List<UndoRow> parse(String text) {
        List<UndoRow> rows = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int bar = text.indexOf('|', at);
            int columns = Integer.parseInt(text.substring(at, bar));
            at = bar + 1;
            Map<String, @Nullable String> values = new LinkedHashMap<>();
            for (int i = 0; i < columns; i++) {
                bar = text.indexOf('|', at);
                int end = bar + 1 + Integer.parseInt(text.substring(at, bar));
                String column = text.substring(bar + 1, end);
                at = end + 1;
                bar = text.indexOf('|', at);
                String length = text.substring(at, bar);
                if (length.equals("-")) {
                    values.put(column, null);
                    at = bar + 1;
                } else {
                    end = bar + 1 + Integer.parseInt(length);
                    values.put(column, text.substring(bar + 1, end));
                    at = end + 1;
                }
            }
            rows.add(new UndoRow(new TreeMap<>(values)));
            at++;
        }
        return rows;
    }

    private static @Nullable String base64(byte @Nullable [] bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof UndoRow row && row.values.equals(values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
