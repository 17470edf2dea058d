package dev.tenon.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows are read and written back: its columns, in the order of their names, and its primary key.
 * Immutable.
 *
 * @param name as statements name it
 * @param columns those that can be written, by their names in lower case
 * @param key the columns of the primary key
 * @param quote what the database puts round names
 * @param counter the column that the database counts up, in lower case; none if {@code null}
 * @param cascades what a change of its rows does to others
 * @param utc whether its rows are put back in a session whose time zone is UTC
 * @param loose whether they are put back in a session that takes every value
 */
record UndoTable(
        String name,
        Map<String, UndoColumn> columns,
        List<String> key,
        String quote,
        @Nullable String counter,
        UndoCascades cascades,
        boolean utc,
        boolean loose) {
    /** As many values as every database takes in one statement. */
    static final int PARAMETERS_MAX = 30_000;

    /** Fewer than MariaDB takes for a table of their own, and reads in another way. */
    private static final int ROWS_AT_ONCE = 500;

    /**
     * Asks the database.
     *
     * @throws SQLFeatureNotSupportedException if the table has no primary key, is not there, or has values that can't
     *     be put back
     */
    static UndoTable read(Connection connection, Dialect dialect, String name) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String[] parts = name.split("\\.");
        String table = stored(data, parts[parts.length - 1]);
        String schema = parts.length > 1 ? stored(data, parts[parts.length - 2]) : connection.getSchema();
        boolean catalogs = connection.getCatalog() != null && connection.getSchema() == null;
        String catalog = catalogs && parts.length > 1 ? stored(data, parts[0]) : connection.getCatalog();
        String inSchema = catalogs ? null : schema;
        UndoCascades.requireNoHeirs(connection, dialect, inSchema, table);
        Map<String, Boolean> computed = computed(connection, dialect, catalogs ? catalog : inSchema, table);
        Map<String, String> enums = enums(connection, dialect, inSchema, table);
        Map<String, UndoColumn> columns = new TreeMap<>();
        Map<String, UndoColumn> inUtc = new HashMap<>();
        String counter = null;
        boolean loose = false;
        try (ResultSet rows = data.getColumns(catalog, escaped(data, inSchema), escaped(data, table), "%")) {
            while (rows.next()) {
                String stored = rows.getString("COLUMN_NAME");
                if (dialect.speaksMySql() && "YES".equals(rows.getString("IS_AUTOINCREMENT"))) {
                    counter = stored.toLowerCase(Locale.ROOT);
                }
                Boolean skipped = computed.get(stored);
                if (skipped == null || !skipped) {
                    String type = rows.getString("TYPE_NAME");
                    loose |= dialect.isLoose(type);
                    UndoColumn column = dialect.undoColumn(stored, rows.getInt("DATA_TYPE"), type);
                    column = enums.containsKey(stored) ? column.castTo(enums.get(stored)) : column;
                    UndoColumn zoned = dialect.undoColumnInUtc(column, type);
                    if (zoned != null) {
                        inUtc.put(stored.toLowerCase(Locale.ROOT), zoned);
                    }
                    UndoColumn other =
                            columns.put(stored.toLowerCase(Locale.ROOT), skipped == null ? column : column.asFixed());
                    if (other != null) {
                        throw new SQLFeatureNotSupportedException("Table " + name + " has columns whose names differ"
                                + " in case only (" + stored + "): automatic undo takes none such");
                    }
                }
            }
        }
        List<String> key = key(data.getPrimaryKeys(catalog, inSchema, table));
        requireKey(name, columns, key);
        // A key is compared in the session's own time zone by the statements that it is named in.
        boolean utc = !inUtc.isEmpty() && key.stream().noneMatch(inUtc::containsKey);
        if (utc) {
            columns.putAll(inUtc);
        }
        return new UndoTable(
                name,
                columns,
                key,
                dialect.quote(data),
                counter,
                UndoCascades.read(connection, catalog, inSchema, table),
                utc,
                loose);
    }

    private static void requireKey(String name, Map<String, UndoColumn> columns, List<String> key)
            throws SQLFeatureNotSupportedException {
        if (columns.isEmpty() || key.isEmpty()) {
            throw new SQLFeatureNotSupportedException("Table " + name
                    + (columns.isEmpty() ? " is not there" : " has no primary key") + ": automatic undo needs one");
        }
        if (!columns.keySet().containsAll(key)) {
            throw new SQLFeatureNotSupportedException("The primary key of table " + name
                    + " has a column that the database computes: automatic undo could not put its rows back");
        }
    }

    /** The columns of the primary key, in their order. */
    private static List<String> key(ResultSet answer) throws SQLException {
        Map<Integer, String> key = new TreeMap<>();
        try (ResultSet rows = answer) {
            while (rows.next()) {
                key.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return List.copyOf(key.values());
    }

    /** The columns that are domains over enums, with the enums. */
    private static Map<String, String> enums(
            Connection connection, Dialect dialect, @Nullable String schema, String table) throws SQLException {
        Sql sql = dialect.ownSql(BuiltInStatement.UNDO_ENUMS);
        Map<String, String> enums = new HashMap<>();
        if (sql != null) {
            try (PreparedStatement query = connection.prepareStatement(sql.text())) {
                new Args().text("schema", schema).text("table", table).bind(sql, query);
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        enums.put(row.getString(1), row.getString(2));
                    }
                }
            }
        }
        return enums;
    }

    /** A name as a pattern that only it matches. */
    private static @Nullable String escaped(DatabaseMetaData data, @Nullable String name) throws SQLException {
        String escape = data.getSearchStringEscape();
        return name == null || escape == null || escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }

    /** The columns that are not simply set: whether the database computes them, or no {@code UPDATE} may set them. */
    private static Map<String, Boolean> computed(
            Connection connection, Dialect dialect, @Nullable String schema, String table) throws SQLException {
        Sql sql = dialect.sql(BuiltInStatement.UNDO_COLUMNS);
        Map<String, Boolean> columns = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement(sql.text())) {
            new Args().text("schema", schema).text("table", table).bind(sql, query);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    columns.put(row.getString(1), row.getInt(2) == 1);
                }
            }
        }
        return columns;
    }

    private static String stored(DatabaseMetaData data, String name) throws SQLException {
        String bare = UndoStatement.unquoted(name);
        if (!bare.equals(name)) {
            return bare;
        }
        if (data.storesUpperCaseIdentifiers()) {
            return bare.toUpperCase(Locale.ROOT);
        }
        return data.storesLowerCaseIdentifiers() ? bare.toLowerCase(Locale.ROOT) : bare;
    }

    /** All columns, as a list for a query whose rows are {@linkplain #rows read}. */
    String columnList() {
        return String.join(
                ", ", columns.values().stream().map(c -> c.read(quote)).toList());
    }

    /** As {@link #columnList}, with what is asked only of rows that a statement is about, for {@link #rowsInFull}. */
    String fullList() {
        StringBuilder list = new StringBuilder(columnList());
        key.forEach(k -> append(list, column(k).sameness(quote)));
        columns.values().forEach(c -> append(list, c.lost(quote)));
        return list.toString();
    }

    private static void append(StringBuilder list, String expression) {
        if (!expression.isEmpty()) {
            list.append(", ").append(expression);
        }
    }

    /** How many rows one statement is about, when there are many. */
    int rowsAtOnce() {
        int values = Math.max(key.size(), columns.size());
        return Math.max(1, Math.min(ROWS_AT_ONCE, PARAMETERS_MAX / values));
    }

    /** The primary key of a row. */
    List<@Nullable String> keyOf(UndoRow row) {
        List<@Nullable String> values = new ArrayList<>();
        key.forEach(k -> values.add(row.value(k)));
        return values;
    }

    /**
     * {@code a IN (?, …)} for so many primary keys, or {@code a = ? AND b = ? OR …}; what no row is, for none. MariaDB
     * looks through the whole table, and locks all of it, for {@code (a, b) IN ((?, ?), …)}.
     */
    String keysCondition(int rows) {
        if (rows == 0) {
            return "1 = 0";
        }
        if (key.size() > 1) {
            return String.join(" OR ", Collections.nCopies(rows, keyCondition()));
        }
        UndoColumn only = column(key.get(0));
        return only.compared(quote) + " IN (" + String.join(", ", Collections.nCopies(rows, only.mark())) + ")";
    }

    /** {@code UPDATE} of the {@link #others}, and then the primary key, by a row's values. */
    String update() {
        String set = String.join(
                ", ",
                others().stream()
                        .map(this::column)
                        .map(c -> c.quoted(quote) + " = " + c.updateMark(quote))
                        .toList());
        return "UPDATE " + name + " SET " + set + " WHERE " + keyCondition();
    }

    private String keyCondition() {
        return String.join(
                " AND ",
                key.stream()
                        .map(this::column)
                        .map(c -> c.compared(quote) + " = " + c.mark())
                        .toList());
    }

    /** {@code INSERT} of all columns by a row's values. */
    String insert() {
        List<UndoColumn> all = List.copyOf(columns.values());
        return "INSERT INTO " + name + " ("
                + String.join(", ", all.stream().map(c -> c.quoted(quote)).toList()) + ")"
                + (all.stream().anyMatch(UndoColumn::fixed) ? " OVERRIDING SYSTEM VALUE" : "") + " VALUES ("
                + String.join(", ", all.stream().map(UndoColumn::mark).toList()) + ")";
    }

    /** The names of the columns that are not in the primary key, and that an {@code UPDATE} may set. */
    List<String> others() {
        return columns.entrySet().stream()
                .filter(c -> !key.contains(c.getKey()) && !c.getValue().fixed())
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Refuses an {@code UPDATE} of a column.
     *
     * @throws SQLFeatureNotSupportedException if it could not be put back
     */
    void requireWritable(String column) throws SQLException {
        if (key.contains(column)) {
            throw new SQLFeatureNotSupportedException(
                    "Column " + column + " is of the primary key of " + name + ": delete and insert instead");
        }
        cascades.requireUpdate(name, column);
        UndoColumn known = columns.get(column);
        if (known != null && known.fixed()) {
            throw new SQLFeatureNotSupportedException("Column " + column + " of " + name
                    + " is GENERATED ALWAYS AS IDENTITY: its value could not be put back");
        }
    }

    UndoColumn column(String name) {
        UndoColumn column = columns.get(name);
        if (column == null) {
            throw new IllegalStateException("Table " + this.name + " has no column " + name + " any more");
        }
        return column;
    }

    /** The rows of a query for {@link #columnList}. */
    List<UndoRow> rows(PreparedStatement query) throws SQLException {
        return rows(query, false);
    }

    /** The rows of a query for {@link #fullList}. */
    List<UndoRow> rowsInFull(PreparedStatement query) throws SQLException {
        return rows(query, true);
    }

    private List<UndoRow> rows(PreparedStatement query, boolean full) throws SQLException {
        List<UndoRow> rows = new ArrayList<>();
        try (ResultSet set = query.executeQuery()) {
            while (set.next()) {
                UndoRow row = UndoRow.read(this, set);
                rows.add(full ? row.withSameness(sameness(set)).withLost(lost(set)) : row);
            }
        }
        return rows;
    }

    private Map<String, String> sameness(ResultSet set) throws SQLException {
        Map<String, String> same = new HashMap<>();
        int next = columns.size() + 1;
        for (String each : key) {
            if (!column(each).sameness(quote).isEmpty()) {
                same.put(each, set.getString(next++));
            }
        }
        return same;
    }

    private Set<String> lost(ResultSet set) throws SQLException {
        Set<String> lost = new TreeSet<>();
        int next = columns.size()
                + 1
                + (int) key.stream()
                        .filter(k -> !column(k).sameness(quote).isEmpty())
                        .count();
        for (Map.Entry<String, UndoColumn> each : columns.entrySet()) {
            if (!each.getValue().lost(quote).isEmpty() && set.getInt(next++) == 1) {
                lost.add(each.getKey());
            }
        }
        return lost;
    }

    /**
     * Refuses a change of a row that could not be put back.
     *
     * @param changed whether a column is one of those that are changed
     */
    void requireWhole(UndoRow row, Predicate<String> changed) throws SQLFeatureNotSupportedException {
        for (String column : row.lost()) {
            if (changed.test(column)) {
                throw new SQLFeatureNotSupportedException("Column " + column + " of " + describe(row)
                        + " has a JSON value with a decimal, an unsigned number, a date or bytes in it, as functions of the database make them: its"
                        + " text does not tell them from other numbers and texts, and it could not be put back");
            }
        }
    }

    /** What a row is locked by: the same for one row whoever writes it, and short. */
    String lockKey(UndoRow row) {
        StringBuilder text = new StringBuilder(bareName());
        key.forEach(k -> text.append('\0').append(row.sameness(k)));
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /** A row for a person: {@code stock(42)}. */
    String describe(UndoRow row) {
        return bareName() + "("
                + String.join(
                        ", ",
                        key.stream().map(k -> String.valueOf(row.value(k))).toList()) + ")";
    }

    private String bareName() {
        String[] parts = name.split("\\.");
        return UndoStatement.unquoted(parts[parts.length - 1]).toLowerCase(Locale.ROOT);
    }
}
