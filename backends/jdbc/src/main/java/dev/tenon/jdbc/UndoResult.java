package dev.tenon.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Rows from which no way leads to the driver's own connection. One thread at a time. */
final class UndoResult implements InvocationHandler {
    private final ResultSet raw;
    private final @Nullable Statement statement;
    private @Nullable Boolean first;

    private UndoResult(ResultSet raw, @Nullable Statement statement, @Nullable Boolean first) {
        this.raw = raw;
        this.statement = statement;
        this.first = first;
    }

    /** @param statement whom the rows say that they are of; none of those that only metadata asked for */
    static ResultSet wrap(ResultSet raw, @Nullable Statement statement) {
        return UndoConnection.proxy(ResultSet.class, new UndoResult(raw, statement, null));
    }

    /**
     * Rows of which somebody has looked at the first already: the reader's first step goes there again.
     *
     * @param any whether there is a first
     */
    static ResultSet lookedAt(ResultSet raw, Statement statement, boolean any) {
        return UndoConnection.proxy(ResultSet.class, new UndoResult(raw, statement, any));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        Boolean ahead = first;
        if (name.equals("getStatement")) {
            return statement;
        }
        if (name.equals("unwrap")) {
            throw new SQLFeatureNotSupportedException(
                    "unwrap: automatic undo would not see what is done with the driver's own rows");
        }
        if (ahead != null && name.equals("isBeforeFirst")) {
            return ahead;
        }
        if (ahead != null && name.equals("next")) {
            first = null;
            return ahead;
        }
        return UndoConnection.delegate(raw, method, args);
    }
}
