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

    /**
     * Bytes as MySQL writes them, and functions of it that make the same bytes each time; at most one parameter in
     * them.
     */
    private static final Pattern BYTES = Pattern.compile(
            "[xX]'[0-9a-fA-F]*'|0x[0-9a-fA-F]+|'[^'\\\\]*'"
                    + "|(UUID_TO_BIN|UNHEX|INET6_ATON)\\s*\\(\\s*(\\?|'[^'\\\\]*')\\s*(,\\s*[01]\\s*)?\\)",
            Pattern.CASE_INSENSITIVE);

    /** What a column gets that the database counts up. */
    private static final Pattern COUNTED = Pattern.compile("NULL|DEFAULT", Pattern.CASE_INSENSITIVE);

    private final UndoTable table;
    private final Map<String, Integer> parameters = new TreeMap<>();
    private final Map<String, String> literals = new TreeMap<>();
    private final Map<String, String> bytes = new TreeMap<>();
    private final Map<String, Integer> bytesFrom = new TreeMap<>();

    private UndoKeys(UndoTable table) {
        this.table = table;
    }

    /**
     * Where the key comes from.
     *
     * @param mySql whether the database speaks MySQL
     * @throws SQLFeatureNotSupportedException if the database would not say which key it has made
     */
    static UndoKeys of(UndoStatement insert, UndoTable table, boolean mySql) throws SQLException {
        UndoKeys keys = new UndoKeys(table);
        int before = 0;
        for (int i = 0; i < insert.columns().size(); i++) {
            String column = insert.columns().get(i);
            String value = insert.values().get(i);
            if (value.equals("?")) {
                keys.parameters.put(column, before + 1);
            } else if (mySql
                    && table.key().contains(column)
                    && table.column(column).isBinary()) {
                if (BYTES.matcher(value).matches()) {
                    keys.bytes.put(column, value);
                    keys.bytesFrom.put(column, value.contains("?") ? before + 1 : -1);
                }
            } else if (NUMBER.matcher(value).matches()) {
                keys.literals.put(column, value);
                // A backslash is half of another character in MySQL, or one of its own: as the session has it.
            } else if (!(mySql && value.indexOf('\\') >= 0)
                    && value.length() > 1
                    && value.startsWith("'")
                    && value.endsWith("'")) {
                keys.literals.put(column, value.substring(1, value.length() - 1).replace("''", "'"));
            }
            before += UndoStatement.parameters(value);
        }
        if (mySql) {
            keys.requireAll(insert);
        }
        return keys;
    }

    private void requireAll(UndoStatement insert) throws SQLException {
        for (String column : table.key()) {
            boolean given = parameters.containsKey(column) || literals.containsKey(column) || bytes.containsKey(column);
            if (!given && !(column.equals(table.counter()) && isCounted(insert, column))) {
                throw unknown(column, "");
            }
        }
    }

    /** Or else the database may tell what {@code LAST_INSERT_ID(expr)} has set in the same statement. */
    private static boolean isCounted(UndoStatement insert, String column) {
        int at = insert.columns().indexOf(column);
        return at < 0 || COUNTED.matcher(insert.values().get(at)).matches();
    }

    /** The expression of bytes that is a column's value, if one is. */
    @Nullable
    String bytes(String column) {
        return bytes.get(column);
    }

    /** The number of the parameter in {@link #bytes}; -1 if there is none. */
    int bytesParameter(String column) {
        return bytesFrom.getOrDefault(column, -1);
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
                        : positive(row.getString(i), table.counter() != null);
            }
        }
        return null;
    }

    /** MariaDB's driver shows a number beyond 2^63 as a negative one; nothing counts up to one of those. */
    private static @Nullable String positive(@Nullable String value, boolean counted) {
        return counted && value != null && value.startsWith("-") ? Long.toUnsignedString(Long.parseLong(value)) : value;
    }

    /**
     * As {@link #literal}.
     *
     * @throws SQLFeatureNotSupportedException if there is none
     */
    String requireLiteral(String column) throws SQLException {
        String literal = literals.get(column);
        if (literal == null) {
            throw unknown(column, "; roll back");
        }
        return literal;
    }

    private SQLFeatureNotSupportedException unknown(String column, String end) {
        return new SQLFeatureNotSupportedException("The database does not say which " + column + " the new row of "
                + table.name() + " has: give it as a parameter or a literal" + end);
    }
}
