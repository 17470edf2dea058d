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
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table whose rows are read and written back: its columns, in the order of their names, and its primary key. Immutable.
 *
 * @param name as statements name it
 * @param columns the type of each column ({@link java.sql.Types}) that can be written, by its name in lower case
 * @param key the columns of the primary key
 * @param quote what the database puts round names
 */
record UndoTable(String name, Map<String, Column> columns, List<String> key, String quote) {
    /** @param name as the database has it */
    record Column(String name, int type) {}

    /**
     * Asks the database.
     *
     * @throws SQLFeatureNotSupportedException if the table has no primary key, or is not there
     */
    static UndoTable read(Connection connection, String name) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String[] parts = name.split("\\.");
        String table = stored(data, parts[parts.length - 1]);
        String schema = parts.length > 1 ? stored(data, parts[parts.length - 2]) : connection.getSchema();
        boolean catalogs = connection.getCatalog() != null && connection.getSchema() == null;
        String catalog = catalogs && parts.length > 1 ? stored(data, parts[0]) : connection.getCatalog();
        String inSchema = catalogs ? null : schema;
        Map<String, Column> columns = new TreeMap<>();
        try (ResultSet rows = data.getColumns(catalog, inSchema, table, "%")) {
            while (rows.next()) {
                String column = rows.getString("COLUMN_NAME");
                if (!"YES".equals(rows.getString("IS_GENERATEDCOLUMN"))) {
                    columns.put(column.toLowerCase(Locale.ROOT), new Column(column, rows.getInt("DATA_TYPE")));
                }
            }
        }
        Map<Integer, String> key = new TreeMap<>();
        try (ResultSet rows = data.getPrimaryKeys(catalog, inSchema, table)) {
            while (rows.next()) {
                key.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        if (columns.isEmpty() || key.isEmpty()) {
            throw new SQLFeatureNotSupportedException("Table " + name
                    + (columns.isEmpty() ? " is not there" : " has no primary key") + ": automatic undo needs one");
        }
        return new UndoTable(name, columns, List.copyOf(key.values()), data.getIdentifierQuoteString());
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

    /** All columns, as a list for a query. */
    String columnList() {
        return String.join(", ", columns.values().stream().map(this::quoted).toList());
    }

    /** {@code a = ? AND b = ?} for the primary key. */
    String keyCondition() {
        return String.join(
                " AND ", key.stream().map(k -> quoted(column(k)) + " = ?").toList());
    }

    /** {@code a = ?, b = ?} for the columns that are not in the primary key. */
    String assignments() {
        return String.join(
                ", ", others().stream().map(c -> quoted(column(c)) + " = ?").toList());
    }

    /** The names of the columns that are not in the primary key. */
    List<String> others() {
        return columns.keySet().stream().filter(c -> !key.contains(c)).toList();
    }

    Column column(String name) {
        Column column = columns.get(name);
        if (column == null) {
            throw new IllegalStateException("Table " + this.name + " has no column " + name + " any more");
        }
        return column;
    }

    private String quoted(Column column) {
        return quote + column.name() + quote;
    }

    /** The rows of a query for {@link #columnList}. */
    List<UndoRow> rows(PreparedStatement query) throws SQLException {
        List<UndoRow> rows = new ArrayList<>();
        try (ResultSet set = query.executeQuery()) {
            while (set.next()) {
                rows.add(UndoRow.read(this, set));
            }
        }
        return rows;
    }

    /** What a row is locked by: the same for one row whoever writes it, and short. */
    String lockKey(UndoRow row) {
        StringBuilder text = new StringBuilder(bareName());
        key.forEach(k -> text.append('\0').append(row.value(k)));
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
