package dev.tenon.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A prepared query: the driver's, but for the ways to its connection. One thread at a time. */
final class UndoQuery implements InvocationHandler {
    private final Connection connection;
    private final UndoReading reading;
    private final String sql;
    private final PreparedStatement raw;

    /** @param connection the one that notes */
    UndoQuery(Connection connection, UndoReading reading, String sql, PreparedStatement raw) {
        this.connection = connection;
        this.reading = reading;
        this.sql = sql;
        this.raw = raw;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (name.equals("getConnection")) {
            return connection;
        }
        boolean other = name.startsWith("execute") && args != null && args.length > 0;
        if (other || name.equals("addBatch") || name.equals("unwrap")) {
            throw new SQLFeatureNotSupportedException(name + ": a prepared query runs what it was prepared for");
        }
        Object result = name.startsWith("execute")
                ? reading.run(sql, raw, method, args)
                : UndoConnection.delegate(raw, method, args);
        return result instanceof ResultSet rows ? UndoResult.wrap(rows, (Statement) proxy) : result;
    }
}
