package dev.tenon.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A statement that changes rows: reads and locks them before, runs, reads them after, and notes both. One thread at a
 * time.
 */
final class UndoPreparedStatement implements InvocationHandler {
    private static final int ROWS_MAX = 10_000;

    private static final Set<String> ABOUT_THE_LAST =
            Set.of("getUpdateCount", "getLargeUpdateCount", "getResultSet", "getMoreResults", "getWarnings");

    private final Connection proxied;
    private final UndoConnection owner;
    private final UndoStatement parsed;
    private final PreparedStatement raw;
    private final Map<Integer, Setting> settings = new TreeMap<>();
    private final UndoBatch batch = new UndoBatch();
    private @Nullable PreparedStatement ran;
    private boolean inBatch;
    private @Nullable ResultSet keys;

    /** A value that was given to a parameter. */
    private record Setting(Method method, @Nullable Object[] args) {
        /** Whether the database would count up instead: for a 0, a null, and what is no number. */
        boolean counts() {
            return UndoPreparedStatement.counts(method.getName().equals("setNull") ? null : args[1]);
        }

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
        if (name.equals("unwrap")) {
            throw new SQLFeatureNotSupportedException("unwrap: a way round automatic undo");
        }
        if (name.endsWith("Batch") && (args == null || args.length == 0)) {
            return batch(name, (Statement) proxy);
        }
        if (name.equals("clearParameters")) {
            settings.clear();
        }
        if (name.startsWith("set") && args != null && args.length > 1 && args[0] instanceof Integer index) {
            settings.put(index, new Setting(method, args));
        }
        if (name.equals("getGeneratedKeys")) {
            if (inBatch) {
                throw new SQLFeatureNotSupportedException(
                        "Automatic undo has no generated keys of a batch: run its inserts one by one");
            }
            return keys == null ? UndoResult.wrap(raw.getGeneratedKeys(), (Statement) proxy) : keys;
        }
        if (name.equals("close")) {
            closeRan();
        }
        if (!name.startsWith("execute")) {
            PreparedStatement last = ran;
            PreparedStatement asked = last != null && ABOUT_THE_LAST.contains(name) ? last : raw;
            return UndoConnection.delegate(asked, method, args);
        }
        if (args != null && args.length > 0) {
            throw new SQLFeatureNotSupportedException("A prepared statement runs what it was prepared for");
        }
        inBatch = false;
        return run(method, (Statement) proxy);
    }

    private @Nullable Object batch(String what, Statement proxy) throws Throwable {
        switch (what) {
            case "addBatch":
                Map<Integer, Setting> given = new TreeMap<>(settings);
                batch.add(() -> runWith(given, proxy));
                return null;
            case "clearBatch":
                batch.clear();
                return null;
            default:
                inBatch = true;
                return batch.run(what.equals("executeLargeBatch"));
        }
    }

    private long runWith(Map<Integer, Setting> given, Statement proxy) throws Throwable {
        settings.clear();
        settings.putAll(given);
        for (Map.Entry<Integer, Setting> each : given.entrySet()) {
            each.getValue().on(raw, each.getKey());
        }
        Object count = run(PreparedStatement.class.getMethod("executeUpdate"), proxy);
        return count instanceof Number number ? number.longValue() : Statement.SUCCESS_NO_INFO;
    }

    private @Nullable Object run(Method method, Statement proxy) throws Throwable {
        UndoTable table = owner.table(parsed);
        try {
            return parsed.kind() == UndoStatement.Kind.INSERT ? insert(table, method, proxy) : change(table, method);
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
        if (parsed.kind() == UndoStatement.Kind.DELETE) {
            table.cascades().requireDelete(table.name());
        }
        List<UndoRow> before = before(table);
        for (UndoRow row : before) {
            table.requireWhole(
                    row,
                    column -> parsed.kind() == UndoStatement.Kind.DELETE
                            || parsed.columns().contains(column));
        }
        owner.lock(table, before);
        PreparedStatement exact = exact(table, before);
        return noted(exact, method, () -> {
            boolean updates = parsed.kind() == UndoStatement.Kind.UPDATE;
            requireCount(exact, before.size(), updates);
            return new UndoImage(parsed.kind(), table, before, updates ? after(table, before) : List.of());
        });
    }

    private List<UndoRow> after(UndoTable table, List<UndoRow> before) throws SQLException {
        Map<List<@Nullable String>, UndoRow> now = UndoImage.current(owner.raw(), table, before);
        List<UndoRow> after = new ArrayList<>();
        for (UndoRow row : before) {
            UndoRow left = now.get(table.keyOf(row));
            if (left == null) {
                throw new SQLException(
                        table.describe(row) + " is gone after its update (a trigger of the database?): roll back");
            }
            after.add(left);
        }
        return after;
    }

    /** Tells what a statement that has run did. */
    @FunctionalInterface
    private interface Look {
        UndoImage at() throws Throwable;
    }

    /**
     * The statement over the rows that were read and locked, and no others: asked again, its own condition may choose
     * others, as {@code random() < .5} does.
     */
    private PreparedStatement exact(UndoTable table, List<UndoRow> rows) throws Throwable {
        int own = settings.size() - parsed.whereParameters();
        if ((long) rows.size() * table.key().size() + own > UndoTable.PARAMETERS_MAX) {
            throw new SQLFeatureNotSupportedException("More than " + UndoTable.PARAMETERS_MAX
                    + " values of primary keys at once: change fewer rows in each statement");
        }
        closeRan();
        PreparedStatement exact =
                owner.raw().prepareStatement(parsed.head() + " WHERE " + table.keysCondition(rows.size()));
        ran = exact;
        exact.setQueryTimeout(raw.getQueryTimeout());
        for (int i = 1; i <= own; i++) {
            set(exact, i, i);
        }
        int next = own + 1;
        for (UndoRow row : rows) {
            next = row.bind(table, table.key(), exact, next);
        }
        return exact;
    }

    private void set(PreparedStatement statement, int from, int to) throws Throwable {
        Setting setting = settings.get(from);
        if (setting == null) {
            throw new SQLException("Parameter " + from + " has no value");
        }
        setting.on(statement, to);
    }

    private void closeRan() throws SQLException {
        PreparedStatement last = ran;
        ran = null;
        if (last != null) {
            last.close();
        }
    }

    /** Runs a statement, and notes what it did; if that fails, nothing of this branch may be committed. */
    private @Nullable Object noted(PreparedStatement statement, Method method, Look look) throws Throwable {
        Object result = UndoConnection.delegate(statement, method, null);
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
        String sql = "SELECT " + table.fullList() + " FROM " + parsed.table() + condition
                // As a part of it: Connector/J would tell the session before and after, a round trip each.
                + (owner.speaksMySql() ? " LIMIT " + (ROWS_MAX + 1) : "") + " FOR UPDATE";
        int skipped = settings.size() - parsed.whereParameters();
        try (PreparedStatement query = owner.raw().prepareStatement(sql)) {
            if (!owner.speaksMySql()) {
                query.setMaxRows(ROWS_MAX + 1);
            }
            for (int i = 1; i <= parsed.whereParameters(); i++) {
                set(query, skipped + i, i);
            }
            List<UndoRow> rows = table.rowsInFull(query);
            if (rows.size() > ROWS_MAX) {
                throw new SQLFeatureNotSupportedException(
                        "More than " + ROWS_MAX + " rows at once: change fewer in each statement");
            }
            return rows;
        }
    }

    /**
     * Rows that nobody has read would not be undone.
     *
     * @param fewer whether fewer are well, as some drivers count those only that an {@code UPDATE} has made other ones
     */
    private static void requireCount(PreparedStatement statement, int read, boolean fewer) throws SQLException {
        int count = statement.getUpdateCount();
        if (count >= 0 && (count > read || count < read && !fewer)) {
            throw new SQLException(
                    "The statement changed " + count + " rows, and " + read + " were there just before: roll back, and"
                            + " try again",
                    "40001");
        }
    }

    private @Nullable Object insert(UndoTable table, Method method, Statement proxy) throws Throwable {
        keys = null;
        UndoKeys given = UndoKeys.of(parsed, table, owner.speaksMySql());
        return noted(raw, method, () -> {
            ResultSet generated = raw.getGeneratedKeys();
            boolean any = generated.next();
            keys = UndoResult.lookedAt(generated, proxy, any);
            List<UndoRow> after = inserted(table, given, any ? generated : null);
            if (after.size() != 1) {
                throw new SQLFeatureNotSupportedException("The new row of " + table.name()
                        + " can't be found by its primary key: give it as a parameter or a literal; roll back");
            }
            owner.lock(table, after);
            return new UndoImage(parsed.kind(), table, List.of(), after);
        });
    }

    /** Gives a value to a parameter of a query. */
    @FunctionalInterface
    private interface Binding {
        void give(PreparedStatement query, int index) throws Throwable;
    }

    private List<UndoRow> inserted(UndoTable table, UndoKeys given, @Nullable ResultSet generated) throws Throwable {
        List<Binding> bindings = new ArrayList<>();
        List<String> conditions = new ArrayList<>();
        for (String column : table.key()) {
            UndoColumn known = table.column(column);
            String bytes = given.bytes(column);
            if (bytes != null) {
                conditions.add(known.quoted(table.quote()) + " = " + bytes);
                int parameter = given.bytesParameter(column);
                if (parameter > 0) {
                    bindings.add((query, i) -> set(query, parameter, i));
                }
                continue;
            }
            Setting setting = settings.get(given.parameter(column));
            boolean counted = column.equals(table.counter())
                    && (setting == null ? counts(given.literal(column)) : setting.counts());
            String value = given.generated(generated, column, counted);
            boolean own = value == null && setting != null;
            conditions.add(
                    own ? known.quoted(table.quote()) + " = ?" : known.compared(table.quote()) + " = " + known.mark());
            String found = own || value != null ? value : given.requireLiteral(column);
            bindings.add((query, i) -> {
                if (found == null) {
                    set(query, given.parameter(column), i);
                } else {
                    UndoRow.bind(known, found, query, i);
                }
            });
        }
        String sql =
                "SELECT " + table.fullList() + " FROM " + table.name() + " WHERE " + String.join(" AND ", conditions);
        try (PreparedStatement query = owner.raw().prepareStatement(sql)) {
            for (int i = 0; i < bindings.size(); i++) {
                bindings.get(i).give(query, i + 1);
            }
            return table.rowsInFull(query);
        }
    }

    /** Whether a database that counts up takes this for no value. */
    private static boolean counts(@Nullable Object value) {
        try {
            return value == null || new BigDecimal(value.toString().trim()).signum() == 0;
        } catch (NumberFormatException e) {
            return true;
        }
    }
}
