package dev.tenon.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the primary key of a new row comes from: a parameter, a literal, or the database. Immutable. */
final class UndoKeys {
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");

    private final UndoTable table;
    private final Map<String, Integer> parameters = new TreeMap<>();
    private final Map<String, String> literals = new TreeMap<>();

    private UndoKeys(UndoTable table) {
        this.table = table;
    }

    static UndoKeys of(UndoStatement insert, UndoTable table) {
        UndoKeys keys = new UndoKeys(table);
        int before = 0;
        for (int i = 0; i < insert.columns().size(); i++) {
            String column = insert.columns().get(i);
            String value = insert.values().get(i);
            if (value.equals("?")) {
                keys.parameters.put(column, before + 1);
            } else if (NUMBER.matcher(value).matches()) {
                keys.literals.put(column, value);
            } else if (value.length() > 1 && value.startsWith("'") && value.endsWith("'")) {
                keys.literals.put(column, value.substring(1, value.length() - 1).replace("''", "'"));
            }
            before += UndoStatement.parameters(value);
        }
        return keys;
    }

    /** The number of the parameter that is a column's value; -1 if none is. */
    int parameter(String column) {
        return parameters.getOrDefault(column, -1);
    }

    /** The text or number that is a column's value, if one is. */
    @Nullable
    String literal(String column) {
        return literals.get(column);
    }

    /**
     * What the database says that a column is.
     *
     * @param row its answer, at its row, if it gave one
     * @param counted whether it has counted the column up
     * @return a value as {@link UndoRow} has it; null if it does not say
     */
    @Nullable
    String generated(@Nullable ResultSet row, String column, boolean counted) throws SQLException {
        if (row == null) {
            return null;
        }
        int columns = row.getMetaData().getColumnCount();
        for (int i = 1; i <= columns; i++) {
            boolean named = row.getMetaData().getColumnLabel(i).equalsIgnoreCase(column);
            if (named ? table.counter() == null || counted : counted && columns == 1) {
                return table.column(column).isBinary()
                        ? Base64.getEncoder().encodeToString(row.getBytes(i))
                        : row.getString(i);
            }
        }
        return null;
    }

    /**
     * As {@link #literal}.
     *
     * @throws SQLFeatureNotSupportedException if there is none
     */
    String requireLiteral(String column) throws SQLException {
        String literal = literals.get(column);
        if (literal == null) {
            throw new SQLFeatureNotSupportedException("The database did not say which " + column + " the new row of "
                    + table.name() + " has: give it as a parameter or a literal; roll back");
        }
        return literal;
    }
}
