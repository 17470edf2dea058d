package dev.tenon.jdbc;

import dev.tenon.tx.global.GlobalScope;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Objects;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database that takes part in the global transaction of a thread: a local transaction that begins within one is a
 * branch with automatic undo; outside of one it is as it is. Frameworks begin and end local transactions as ever, and
 * may keep a connection for longer than those, over the begin and the end of a global transaction (one that spans
 * either is refused). Within one that is for reading, the database refuses to change anything (MariaDB, PostgreSQL; H2
 * does not know that).
 *
 * <p>In autocommit mode each statement that changes something is a branch, which is committed before the next statement
 * of its connection, when that is closed, and at the end of the global transaction. A statement that was prepared
 * earlier can't run again then. What could not be committed has the whole rolled back. A statement that was prepared
 * before the global transaction, and the connection that it tells, are outside of it. Thread-safe.
 */
public final class GlobalDataSource implements DataSource {
    private final DataSource target;
    private final String resource;
    private final GlobalScope scope;
    private volatile @Nullable Boolean auto;

    /**
     * A database.
     *
     * @param target the database itself
     * @param resource the name under which {@link JdbcBackend#autoUndo} of {@code target} takes part
     * @param scope which transaction a thread is in
     */
    public GlobalDataSource(DataSource target, String resource, GlobalScope scope) {
        this.target = Objects.requireNonNull(target, "target");
        this.resource = Objects.requireNonNull(resource, "resource");
        this.scope = Objects.requireNonNull(scope, "scope");
    }

    /** The database itself, which takes part in nothing. */
    public DataSource plain() {
        return target;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (scope.isReadOnly() || scope.current().isPresent()) {
            return ScopedConnection.of(target, resource, scope, null, commitsByItself());
        }
        Connection plain = target.getConnection();
        try {
            return ScopedConnection.of(target, resource, scope, plain, true);
        } catch (SQLException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    /** Whether its connections commit each statement by themselves, as they come: a pool may have it otherwise. */
    private boolean commitsByItself() throws SQLException {
        Boolean known = auto;
        if (known == null) {
            try (Connection connection = target.getConnection()) {
                known = connection.getAutoCommit();
            }
            auto = known;
        }
        return known;
    }

    /** Takes part only without a user of its own. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        if (scope.current().isPresent() || scope.isReadOnly()) {
            throw new SQLException("Within a global transaction, connections are those of getConnection()");
        }
        return target.getConnection(user, password);
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(target) || target.isWrapperFor(type);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return target.getParentLogger();
    }
}
