package dev.tenon.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs queries of a branch, which must not write. One that calls functions of somebody's own runs read-only where the
 * database can do that inside a transaction that writes; elsewhere it is refused. One thread at a time.
 */
final class UndoReading {
    private static final Pattern CALL =
            Pattern.compile("((?:[\\w$]+|\"[^\"]+\"|`[^`]+`)(?:\\s*\\.\\s*(?:[\\w$]+|\"[^\"]+\"|`[^`]+`))*)\\s*\\(");

    /** What stands before a parenthesis in a query, and writes nothing in any of the databases. */
    private static final Set<String> HARMLESS = Set.of(
            ("select from where and or not in exists any all some as on using join by having values over filter union"
                            + " intersect except when then else case between like distinct limit offset within group lateral"
                            + " varchar char decimal numeric timestamp time"
                            + " count sum min max avg coalesce nullif ifnull greatest least abs round floor ceil ceiling mod"
                            + " power sqrt sign random rand lower upper length char_length substring substr trim ltrim rtrim"
                            + " replace concat concat_ws left right position lpad rpad cast convert extract now"
                            + " current_timestamp current_date date year month day hour minute second interval"
                            + " date_trunc to_char row_number rank dense_rank lag lead first_value last_value"
                            + " string_agg group_concat array_agg json_agg nextval currval lastval gen_random_uuid uuid"
                            + " last_insert_id")
                    .split(" "));

    /** The SQLSTATE of a write in a read-only transaction. */
    private static final String READ_ONLY = "25006";

    private final Connection connection;
    private final Dialect dialect;

    UndoReading(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /**
     * Runs a query by a method of its statement.
     *
     * @throws SQLFeatureNotSupportedException if it would write, or may
     */
    @Nullable
    Object run(String sql, Statement statement, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        Set<String> called = called(sql, dialect.speaksMySql());
        if (called.isEmpty()) {
            return UndoConnection.delegate(statement, method, args);
        }
        if (!dialect.readsOnlyInSavepoints()) {
            refuseRoutines(sql, called);
            return UndoConnection.delegate(statement, method, args);
        }
        statement.setFetchSize(
                0); // rows that are fetched later would be after the savepoint, and the function with them
        Savepoint savepoint = connection.setSavepoint();
        try {
            try (Statement set = connection.createStatement()) {
                set.execute("SET TRANSACTION READ ONLY");
            }
            Object result = UndoConnection.delegate(statement, method, args);
            connection.releaseSavepoint(savepoint);
            return result;
        } catch (SQLException e) {
            connection.rollback(savepoint);
            throw READ_ONLY.equals(e.getSQLState()) ? refused(sql, e) : e;
        }
    }

    boolean speaksMySql() {
        return dialect.speaksMySql();
    }

    /** The functions that a query calls, but for the harmless ones of the databases, in lower case. */
    static Set<String> called(String sql, boolean mySql) throws SQLException {
        Set<String> names = new TreeSet<>();
        Matcher call = CALL.matcher(UndoText.require(sql, mySql));
        while (call.find()) {
            String name = call.group(1).toLowerCase(Locale.ROOT);
            if (!HARMLESS.contains(name)) {
                names.add(UndoStatement.unquoted(
                        name.substring(name.lastIndexOf('.') + 1).trim()));
            }
        }
        return names;
    }

    private void refuseRoutines(String sql, Set<String> called) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT 1 FROM information_schema.routines WHERE LOWER(routine_name) = ?")) {
            for (String name : called) {
                query.setString(1, name);
                try (ResultSet row = query.executeQuery()) {
                    if (row.next()) {
                        throw refused(sql, null);
                    }
                }
            }
        }
    }

    private static SQLFeatureNotSupportedException refused(String sql, @Nullable SQLException cause) {
        return new SQLFeatureNotSupportedException(
                "Can't be undone (a query that calls a function which writes, or may): " + sql
                        + "; run it outside of automatic undo, or write what the function does as statements",
                cause);
    }
}
