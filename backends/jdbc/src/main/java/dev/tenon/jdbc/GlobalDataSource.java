package dev.tenon.jdbc;

import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransaction;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database that takes part in the global transaction of a thread: a connection that is taken within one is a branch with automatic undo, whose local
 * transaction a framework begins and ends as ever; outside of one it is as it is. Within one that is for reading, the database refuses to change anything (MariaDB, PostgreSQL; H2 does not
 * know that).
 *
 * <p>In autocommit mode each connection is a branch that is committed when it is closed. What could not be committed has the whole rolled
 * back. Thread-safe.
 */
public final class GlobalDataSource implements DataSource {
    private final DataSource target;
    private final String resource;
    private final GlobalScope scope;

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
        if (scope.isReadOnly()) {
            return ReadingConnection.of(plain().getConnection());
        }
        Optional<GlobalTransaction> transaction = scope.current();
        return transaction.isEmpty()
                ? plain().getConnection()
                : Branch.of(transaction.get(), transaction.get().connection(resource));
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

    /** Calls the driver, and throws what it throws. */
    static @Nullable Object delegate(Connection target, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** What a connection is to its user: one with autocommit, unless that is switched off. */
    private static final class Branch {
        private final GlobalTransaction transaction;
        private final Connection connection;
        private boolean auto = true;
        private boolean usedInAuto;

        private Branch(GlobalTransaction transaction, Connection connection) {
            this.transaction = transaction;
            this.connection = connection;
        }

        static Connection of(GlobalTransaction transaction, Connection connection) {
            Branch branch = new Branch(transaction, connection);
            return (Connection) Proxy.newProxyInstance(
                    GlobalDataSource.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, method, args) -> {
                        switch (method.getName()) {
                            case "getAutoCommit":
                                return branch.auto;
                            case "setAutoCommit":
                                branch.auto = Boolean.TRUE.equals(args == null ? null : args[0]);
                                return null;
                            case "commit":
                                branch.commit();
                                return null;
                            case "close":
                                branch.close();
                                return null;
                            case "equals":
                                return args != null && self == args[0];
                            case "hashCode":
                                return System.identityHashCode(self);
                            default:
                                branch.usedInAuto |= branch.auto
                                        && (method.getName().equals("createStatement")
                                                || method.getName().equals("prepareStatement"));
                                return delegate(connection, method, args);
                        }
                    });
        }

        void commit() throws SQLException {
            boolean committed = false;
            try {
                connection.commit();
                committed = true;
            } finally {
                if (!committed) {
                    transaction.rollBackOnly("a local transaction within it could not be committed");
                }
            }
        }

        void close() throws SQLException {
            try {
                if (usedInAuto && !connection.isClosed()) {
                    usedInAuto = false;
                    commit();
                }
            } finally {
                connection.close();
            }
        }
    }
}
