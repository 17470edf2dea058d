package dev.tenon.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A statement without parameters: queries go to the driver, anything else is prepared and noted. One thread at a time.
 */
final class UndoPlainStatement implements InvocationHandler {
    private final Connection connection;
    private final UndoReading reading;
    private final Statement queries;
    private final UndoBatch batch = new UndoBatch();
    private @Nullable PreparedStatement last;

    /** @param connection the one that notes */
    UndoPlainStatement(Connection connection, UndoReading reading, Statement queries) {
        this.connection = connection;
        this.reading = reading;
        this.queries = queries;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (name.equals("getConnection")) {
            return connection;
        }
        if (name.equals("unwrap")) {
            throw new SQLFeatureNotSupportedException("unwrap: a way round automatic undo");
        }
        if (name.endsWith("Batch")) {
            return batch(name, proxy, args);
        }
        if (name.startsWith("execute") && args != null && args.length > 0) {
            return execute(proxy, method, args);
        }
        PreparedStatement changing = last;
        boolean about = name.startsWith("getUpdateCount")
                || name.startsWith("getGeneratedKeys")
                || name.startsWith("getLargeUpdateCount")
                || name.equals("getMoreResults")
                || name.startsWith("getResultSet");
        if (about && changing != null) {
            return UndoConnection.delegate(changing, method, args);
        }
        if (name.equals("close") && changing != null) {
            changing.close();
        }
        return wrapped(proxy, UndoConnection.delegate(queries, method, args));
    }

    private @Nullable Object batch(String what, Object proxy, @Nullable Object @Nullable [] args) throws Throwable {
        switch (what) {
            case "addBatch":
                String sql = String.valueOf(args == null ? null : args[0]);
                batch.add(() -> update(sql, proxy));
                return null;
            case "clearBatch":
                batch.clear();
                return null;
            default:
                return batch.run(what.equals("executeLargeBatch"));
        }
    }

    private long update(String sql, Object proxy) throws Throwable {
        Object count =
                execute(proxy, Statement.class.getMethod("executeUpdate", String.class), new @Nullable Object[] {sql});
        return count instanceof Number number ? number.longValue() : Statement.SUCCESS_NO_INFO;
    }

    private static @Nullable Object wrapped(Object proxy, @Nullable Object result) {
        return result instanceof ResultSet rows ? UndoResult.wrap(rows, (Statement) proxy) : result;
    }

    private @Nullable Object execute(Object proxy, Method method, @Nullable Object[] args) throws Throwable {
        String sql = String.valueOf(args[0]);
        PreparedStatement before = last;
        last = null;
        if (before != null) {
            before.close();
        }
        if (UndoStatement.parse(sql, reading.speaksMySql()).kind() == UndoStatement.Kind.QUERY) {
            return wrapped(proxy, reading.run(sql, queries, method, args));
        }
        PreparedStatement changing = args.length > 1 && args[1] instanceof String[] keys
                ? connection.prepareStatement(sql, keys)
                : connection.prepareStatement(sql);
        last = changing;
        changing.setQueryTimeout(queries.getQueryTimeout());
        return switch (method.getName()) {
            case "executeUpdate" -> changing.executeUpdate();
            case "executeLargeUpdate" -> changing.executeLargeUpdate();
            default -> changing.execute();
        };
    }
}
