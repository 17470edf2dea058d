package dev.tenon.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A statement that changes rows: reads and locks them before, runs, reads them after, and notes both. One thread at a time.
 */
final class UndoPreparedStatement implements InvocationHandler {
    private static final int ROWS_MAX = 10_000;

    private final Connection proxied;
    private final UndoConnection owner;
    private final UndoStatement parsed;
    private final PreparedStatement raw;
    private final Map<Integer, Setting> settings = new TreeMap<>();

    /** A value that was given to a parameter. */
    private record Setting(Method method, @Nullable Object[] args) {
        void on(PreparedStatement statement, int index) throws Throwable {
            @Nullable Object[] moved = args.clone();
            moved[0] = index;
            UndoConnection.delegate(statement, method, moved);
        }
    }

    /** @param proxied the connection that notes, for who asks the statement for it */
    UndoPreparedStatement(Connection proxied, UndoConnection owner, UndoStatement parsed, PreparedStatement raw) {
        this.proxied = proxied;
        this.owner = owner;
        this.parsed = parsed;
        this.raw = raw;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (name.equals("getConnection")) {
            return proxied;
        }
        if (name.equals("addBatch") || name.equals("executeBatch") || name.equals("unwrap")) {
            throw new SQLFeatureNotSupportedException("Automatic undo takes one statement after the other");
        }
        if (name.equals("clearParameters")) {
            settings.clear();
        }
        if (name.startsWith("set") && args != null && args.length > 1 && args[0] instanceof Integer index) {
            settings.put(index, new Setting(method, args));
        }
        if (!name.startsWith("execute")) {
            return UndoConnection.delegate(raw, method, args);
        }
        if (args != null && args.length > 0) {
            throw new SQLFeatureNotSupportedException("A prepared statement runs what it was prepared for");
        }
        UndoTable table = owner.table(parsed);
        try {
            return parsed.kind() == UndoStatement.Kind.INSERT ? insert(table, method) : change(table, method);
        } catch (SQLTransientException e) {
            throw e; // a row is another's
        } catch (SQLException e) {
            owner.forgetTable(parsed); // perhaps it was altered: the next statement asks for its columns anew
            throw e;
        }
    }

    private @Nullable Object change(UndoTable table, Method method) throws Throwable {
        for (String column : parsed.columns()) {
            table.requireWritable(column);
        }
        List<UndoRow> before = before(table);
        owner.lock(table, before);
        return noted(method, () -> {
            requireCount(before.size());
            List<UndoRow> after = new ArrayList<>();
            if (parsed.kind() == UndoStatement.Kind.UPDATE) {
                for (UndoRow row : before) {
                    after.addAll(UndoImage.current(owner.raw(), table, row));
                }
            }
            return new UndoImage(parsed.kind(), table, before, after);
        });
    }

    /** Tells what a statement that has run did. */
    @FunctionalInterface
    private interface Look {
        UndoImage at() throws Throwable;
    }

    /** Runs the statement, and notes what it did; if that fails, nothing of this branch may be committed. */
    private @Nullable Object noted(Method method, Look look) throws Throwable {
        Object result = UndoConnection.delegate(raw, method, null);
        try {
            UndoImage image = look.at();
            if (!image.rows().isEmpty()) {
                owner.note(image);
            }
        } catch (Throwable e) {
            owner.spoil();
            throw e;
        }
        return result;
    }

    private List<UndoRow> before(UndoTable table) throws Throwable {
        String condition = parsed.where().isEmpty() ? "" : " WHERE " + parsed.where();
        String sql = "SELECT " + table.columnList() + " FROM " + parsed.table() + condition + " FOR UPDATE";
        int skipped = settings.size() - parsed.whereParameters();
        try (PreparedStatement query = owner.raw().prepareStatement(sql)) {
            query.setMaxRows(ROWS_MAX + 1);
            for (int i = 1; i <= parsed.whereParameters(); i++) {
                Setting setting = settings.get(skipped + i);
                if (setting == null) {
                    throw new SQLException("Parameter " + (skipped + i) + " has no value");
                }
                setting.on(query, i);
            }
            List<UndoRow> rows = table.rows(query);
            if (rows.size() > ROWS_MAX) {
                throw new SQLFeatureNotSupportedException(
                        "More than " + ROWS_MAX + " rows at once: change fewer in each statement");
            }
            return rows;
        }
    }

    /** Rows that nobody has read would not be undone. */
    private void requireCount(int read) throws SQLException {
        int count = raw.getUpdateCount();
        if (count >= 0 && count != read) {
            throw new SQLException(
                    "The statement changed " + count + " rows, and " + read + " were there just before: roll back, and"
                            + " try again",
                    "40001");
        }
    }

    private @Nullable Object insert(UndoTable table, Method method) throws Throwable {
        Map<String, Integer> given = parametersOfKey(table);
        return noted(method, () -> {
            List<UndoRow> after = inserted(table, given);
            if (after.size() != 1) {
                throw new SQLFeatureNotSupportedException("The new row of " + table.name()
                        + " can't be found by its primary key: give it as a parameter or a literal; roll back");
            }
            owner.lock(table, after);
            return new UndoImage(parsed.kind(), table, List.of(), after);
        });
    }

    private List<UndoRow> inserted(UndoTable table, Map<String, Integer> given) throws Throwable {
        String sql = "SELECT " + table.columnList() + " FROM " + table.name() + " WHERE " + table.plainKeyCondition();
        try (PreparedStatement query = owner.raw().prepareStatement(sql)) {
            int i = 1;
            for (String column : table.key()) {
                Setting setting = settings.get(given.getOrDefault(column, -1));
                if (setting != null) {
                    setting.on(query, i);
                } else {
                    query.setObject(
                            i, keyValue(table, column), table.column(column).type());
                }
                i++;
            }
            return table.rows(query);
        }
    }

    /** Which parameters give the columns of the primary key. */
    private Map<String, Integer> parametersOfKey(UndoTable table) {
        Map<String, Integer> given = new TreeMap<>();
        int before = 0;
        for (int i = 0; i < parsed.columns().size(); i++) {
            String value = parsed.values().get(i);
            if (value.equals("?") && table.key().contains(parsed.columns().get(i))) {
                given.put(parsed.columns().get(i), before + 1);
            }
            before += UndoStatement.parameters(value);
        }
        return given;
    }

    private String keyValue(UndoTable table, String column) throws SQLException {
        int place = parsed.columns().indexOf(column);
        if (place >= 0 && !parsed.values().get(place).equalsIgnoreCase("DEFAULT")) {
            String literal = parsed.values().get(place);
            boolean text = literal.length() > 1 && literal.startsWith("'") && literal.endsWith("'");
            return text ? literal.substring(1, literal.length() - 1).replace("''", "'") : literal;
        }
        try (ResultSet keys = raw.getGeneratedKeys()) {
            if (keys.next()) {
                for (int i = 1; i <= keys.getMetaData().getColumnCount(); i++) {
                    boolean named = keys.getMetaData().getColumnLabel(i).equalsIgnoreCase(column);
                    if (named || table.key().size() == 1 && keys.getMetaData().getColumnCount() == 1) {
                        return keys.getString(i);
                    }
                }
            }
        }
        throw new SQLFeatureNotSupportedException(
                "The database did not say which " + column + " the new row of " + table.name() + " has; roll back");
    }
}
