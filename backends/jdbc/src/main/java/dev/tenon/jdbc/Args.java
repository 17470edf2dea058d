package dev.tenon.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values for the named parameters of one statement. Not thread-safe. */
final class Args {
    private final Map<String, Object> values = new HashMap<>();

    Args text(String name, @Nullable String value) {
        return put(name, value == null ? Absent.TEXT : value);
    }

    Args number(String name, long value) {
        return put(name, value);
    }

    Args number(String name, @Nullable Long value) {
        return put(name, value == null ? Absent.NUMBER : value);
    }

    Args bytes(String name, byte[] value) {
        return put(name, value);
    }

    private Args put(String name, Object value) {
        values.put(name, value);
        return this;
    }

    void bind(Sql sql, PreparedStatement statement) throws SQLException {
        bind(sql, statement, 1);
    }

    /** From a parameter on; returns the next. */
    int bind(Sql sql, PreparedStatement statement, int first) throws SQLException {
        int i = first;
        for (String name : sql.parameters()) {
            Object value = values.get(name);
            if (value instanceof String text) {
                statement.setString(i, text);
            } else if (value instanceof Long number) {
                statement.setLong(i, number);
            } else if (value instanceof byte[] bytes) {
                statement.setBytes(i, bytes);
            } else if (value instanceof Absent absent) {
                statement.setNull(i, absent.type);
            } else {
                throw new IllegalStateException("No value for :" + name + " of " + sql.id());
            }
            i++;
        }
        return i;
    }

    private enum Absent {
        TEXT(Types.VARCHAR),
        NUMBER(Types.BIGINT);

        private final int type;

        Absent(int type) {
            this.type = type;
        }
    }
}
