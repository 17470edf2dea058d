package dev.tenon.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.List;
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
        List<String> names = sql.parameters();
        for (int i = 0; i < names.size(); i++) {
            Object value = values.get(names.get(i));
            if (value instanceof String text) {
                statement.setString(i + 1, text);
            } else if (value instanceof Long number) {
                statement.setLong(i + 1, number);
            } else if (value instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else if (value instanceof Absent absent) {
                statement.setNull(i + 1, absent.type);
            } else {
                throw new IllegalStateException("No value for :" + names.get(i) + " of " + sql.id());
            }
        }
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
