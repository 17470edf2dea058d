package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rows of other tables that the database changes with those of one, which nobody would put back. Immutable.
 *
 * @param deletes a table that follows a {@code DELETE}; none if {@code null}
 * @param updates the tables that follow an {@code UPDATE} of a column, by its name in lower case
 * @param own the columns by which rows refer to others of the same table, in lower case
 */
record UndoCascades(@Nullable String deletes, Map<String, String> updates, Set<String> own) {
    static UndoCascades read(Connection connection, @Nullable String catalog, @Nullable String schema, String table)
            throws SQLException {
        String deletes = null;
        Map<String, String> updates = new HashMap<>();
        Set<String> own = new HashSet<>();
        try (ResultSet keys = connection.getMetaData().getExportedKeys(catalog, schema, table)) {
            while (keys.next()) {
                String child = keys.getString("FKTABLE_NAME");
                if (child.equals(table)
                        && Objects.equals(keys.getString("FKTABLE_SCHEM"), keys.getString("PKTABLE_SCHEM"))
                        && Objects.equals(keys.getString("FKTABLE_CAT"), keys.getString("PKTABLE_CAT"))) {
                    own.add(keys.getString("FKCOLUMN_NAME").toLowerCase(Locale.ROOT));
                }
                if (follows(keys.getShort("DELETE_RULE"))) {
                    deletes = child;
                }
                if (follows(keys.getShort("UPDATE_RULE"))) {
                    updates.put(keys.getString("PKCOLUMN_NAME").toLowerCase(Locale.ROOT), child);
                }
            }
        }
        return new UndoCascades(deletes, Map.copyOf(updates), Set.copyOf(own));
    }

    private static boolean follows(short rule) {
        return rule == DatabaseMetaData.importedKeyCascade
                || rule == DatabaseMetaData.importedKeySetNull
                || rule == DatabaseMetaData.importedKeySetDefault;
    }

    /** Refuses a table whose statements are about rows of others, too, that inherit from it. */
    static void requireNoHeirs(Connection connection, Dialect dialect, @Nullable String schema, String table)
            throws SQLException {
        Sql sql = dialect.ownSql(BuiltInStatement.UNDO_HEIRS);
        if (sql == null) {
            return;
        }
        try (PreparedStatement query = connection.prepareStatement(sql.text())) {
            new Args().text("schema", schema).text("table", table).bind(sql, query);
            try (ResultSet heir = query.executeQuery()) {
                if (heir.next()) {
                    throw new SQLFeatureNotSupportedException("Table " + heir.getString(1) + " inherits from " + table
                            + ": automatic undo could not tell whose a row is, and takes no such table");
                }
            }
        }
    }

    /** Refuses a {@code DELETE} that others follow. */
    void requireDelete(String table) throws SQLException {
        if (deletes != null) {
            throw refused(table, deletes, "ON DELETE");
        }
    }

    /** Refuses an {@code UPDATE} of a column that others follow. */
    void requireUpdate(String table, String column) throws SQLException {
        String child = updates.get(column);
        if (child != null) {
            throw refused(table, child, "ON UPDATE");
        }
    }

    private static SQLFeatureNotSupportedException refused(String table, String child, String rule) {
        return new SQLFeatureNotSupportedException("Rows of " + child + " follow those of " + table + " (" + rule
                + " CASCADE, SET NULL or SET DEFAULT), and could not be put back: change them by statements of your own"
                + " first, and let the constraint be NO ACTION");
    }
}
