package dev.tenon.jdbc;

import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection each of whose local transactions takes part in the global transaction that its thread is in when that
 * begins, or in none: its user may keep it for longer, as JPA does for a whole request. Within a global transaction
 * each is a connection of its own, with automatic undo, which is given back at its end; what is done in none is done on
 * one that is kept. In autocommit mode a statement that changes something is a local transaction: it is committed
 * before the next one, when the connection is closed, and at the end of the global one. One thread at a time.
 */
final class ScopedConnection implements InvocationHandler {
    private final DataSource target;
    private final String resource;
    private final GlobalScope scope;
    private final Thread thread = Thread.currentThread();
    /** What was set on it, and is set on each connection under it; by setter. */
    private final Map<Method, @Nullable Object[]> attributes = new LinkedHashMap<>();

    private @Nullable Connection plain;
    private @Nullable Local local;
    private boolean auto;
    /** A local transaction outside of a global one is open. */
    private boolean begun;
    /** Of {@link #attributes}, {@link #plain} has not been told some. */
    private boolean untold;

    private boolean closed;

    /** What is open within a scope: of a global transaction, or of none in a scope for reading. */
    private static final class Local {
        final Connection connection;
        final @Nullable GlobalTransaction transaction;
        boolean changed;
        /** A statement has failed, after which a database may take no other in the same local transaction. */
        boolean failed;

        Local(Connection connection, @Nullable GlobalTransaction transaction) {
            this.connection = connection;
            this.transaction = transaction;
        }
    }

    private ScopedConnection(DataSource target, String resource, GlobalScope scope, boolean auto) {
        this.target = target;
        this.resource = resource;
        this.scope = scope;
        this.auto = auto;
    }

    /** @param auto whether connections of {@code target} commit each statement, if {@code plain} is null */
    static Connection of(
            DataSource target, String resource, GlobalScope scope, @Nullable Connection plain, boolean auto)
            throws SQLException {
        ScopedConnection scoped =
                new ScopedConnection(target, resource, scope, plain == null ? auto : plain.getAutoCommit());
        scoped.plain = plain;
        return UndoConnection.proxy(Connection.class, scoped);
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "equals":
                return args != null && self == args[0];
            case "hashCode":
                return System.identityHashCode(self);
            case "toString":
                return "Connection[" + resource + "]";
            case "isClosed":
                return closed;
            case "close":
                close();
                return null;
            default:
                if (closed) {
                    throw new SQLException("This connection is closed", "08003");
                }
                return open(self, method, args);
        }
    }

    private @Nullable Object open(Object self, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        switch (method.getName()) {
            case "getAutoCommit":
                return auto;
            case "setAutoCommit":
                setAutoCommit(Boolean.TRUE.equals(args == null ? null : args[0]));
                return null;
            case "commit":
                commit();
                return null;
            case "rollback":
                if (args == null || args.length == 0) {
                    rollback();
                    return null;
                }
                return UndoConnection.delegate(working(), method, args);
            case "setReadOnly", "setTransactionIsolation", "setSchema", "setCatalog":
                set(method, Objects.requireNonNull(args));
                return null;
            case "createStatement", "prepareStatement":
                endStatement();
                Object statement = UndoConnection.delegate(working(), method, args);
                Local noted = auto ? local : null;
                return noted == null ? statement : noting(noted, Objects.requireNonNull(statement));
            case "getWarnings", "clearWarnings":
                Connection warned = current();
                return warned == null ? null : UndoConnection.delegate(warned, method, args);
            case "getMetaData":
                Connection known = current();
                DatabaseMetaData data = (known == null ? plain() : known).getMetaData();
                return isScoped() ? UndoConnection.metaData((Connection) self, data) : data;
            case "isReadOnly", "getTransactionIsolation", "isValid", "getHoldability", "getTypeMap":
                Connection asked = current();
                return UndoConnection.delegate(asked == null ? plain() : asked, method, args);
            default:
                return UndoConnection.delegate(working(), method, args);
        }
    }

    private void set(Method setter, @Nullable Object[] args) throws Throwable {
        Connection now = current();
        if (now != null) {
            UndoConnection.delegate(now, setter, args);
        }
        attributes.put(setter, args); // what was refused is not tried again
        untold |= now != plain;
    }

    /** The one under this; none, if the next local transaction will show which. */
    private @Nullable Connection current() {
        Local now = local;
        return now != null ? now.connection : isScoped() && !begun ? null : plain;
    }

    private boolean isScoped() {
        return scope.isReadOnly() || scope.current().isPresent();
    }

    /** The connection of the local transaction that is open, or begins now. */
    private Connection working() throws Throwable {
        @Nullable GlobalTransaction there = scope.current().orElse(null);
        Local now = local;
        if (now != null && auto && !fits(now, there)) {
            endStatement(now);
            now = local;
        }
        if (begun && there != null || now != null && !fits(now, there)) {
            throw new SQLException(
                    "A local transaction on this connection has begun " + (begun ? "outside of the" : "in another")
                            + " global transaction: commit it, or roll it back, first");
        }
        if (now != null) {
            return now.connection;
        }
        if (begun || !isScoped()) {
            begun = !auto;
            return plain();
        }
        return begin(scope.isReadOnly() ? null : there).connection;
    }

    /**
     * Whether what is done now is part of it; within a scope for reading, a local transaction goes on that was there
     * before.
     */
    private boolean fits(Local now, @Nullable GlobalTransaction there) {
        return now.transaction == null ? scope.isReadOnly() : now.transaction == there && !(auto && scope.isReadOnly());
    }

    private Local begin(@Nullable GlobalTransaction transaction) throws Throwable {
        Connection connection = transaction == null
                ? ReadingConnection.of(target.getConnection())
                : transaction.connection(resource, this::globalEnds);
        boolean set = false;
        try {
            if (transaction == null) {
                connection.setAutoCommit(auto);
            }
            apply(connection);
            set = true;
        } finally {
            if (!set) {
                connection.close(); // nothing is done in another schema than was asked for
            }
        }
        Local next = new Local(connection, transaction);
        local = next;
        return next;
    }

    /** The connection that takes part in nothing. */
    private Connection plain() throws Throwable {
        Connection kept = plain;
        if (kept == null) {
            kept = target.getConnection();
            plain = kept;
            untold = true;
        }
        if (untold) {
            apply(kept);
            untold = false;
        }
        if (kept.getAutoCommit() != auto) {
            kept.setAutoCommit(auto);
        }
        return kept;
    }

    private void apply(Connection connection) throws Throwable {
        for (Map.Entry<Method, @Nullable Object[]> each : attributes.entrySet()) {
            UndoConnection.delegate(connection, each.getKey(), each.getValue());
        }
    }

    private void setAutoCommit(boolean next) throws SQLException {
        if (next == auto) {
            return;
        }
        Local now = local;
        if (now != null && auto) {
            endStatement(now);
        } else if (now != null) {
            commit(now); // as JDBC has it
        }
        auto = next;
        Connection kept = plain;
        if (kept != null && !isBetween()) {
            kept.setAutoCommit(next);
        }
        begun = false;
    }

    private void commit() throws SQLException {
        Local now = local;
        if (now != null) {
            commit(now);
        } else if (plain != null && !isBetween() && (auto || !plain.getAutoCommit())) {
            begun = false;
            plain.commit();
        }
    }

    /** Within a scope, and no local transaction has begun: there is nothing to end. */
    private boolean isBetween() {
        return isScoped() && !begun;
    }

    private void rollback() throws SQLException {
        Local now = local;
        if (now != null) {
            local = null;
            try (Connection over = now.connection) {
                over.rollback();
            }
        } else if (plain != null && !isBetween() && (auto || !plain.getAutoCommit())) {
            begun = false;
            plain.rollback();
        }
    }

    /** Commits a local transaction, or has the whole rolled back. */
    private void commit(Local ending) throws SQLException {
        local = null;
        boolean committed = false;
        try (Connection over = ending.connection) {
            over.commit();
            committed = true;
        } finally {
            if (!committed && ending.transaction != null) {
                ending.transaction.rollBackOnly("a local transaction within it could not be committed");
            }
        }
    }

    /** In autocommit mode: another statement comes. */
    private void endStatement() throws SQLException {
        Local now = local;
        if (now != null && auto && (now.changed || now.failed)) {
            endStatement(now);
        }
    }

    /** Ends what a statement in autocommit mode has begun. */
    private void endStatement(Local ending) throws SQLException {
        if (ending.changed && ending.transaction != null) {
            commit(ending);
        } else {
            local = null;
            ending.connection.close();
        }
    }

    /**
     * The global transaction ends; a local one that is open, or of another thread, ends with it and is told to have
     * done so.
     */
    private void globalEnds(boolean commits) throws SQLException {
        Local now = local;
        if (now == null || !auto || thread != Thread.currentThread()) {
            return;
        }
        if (commits) {
            endStatement(now);
        } else {
            local = null;
            now.connection.close();
        }
    }

    private Object noting(Local noted, Object statement) {
        Class<?> type = statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        return UndoConnection.proxy(type, (self, method, args) -> {
            switch (method.getName()) {
                case "equals":
                    return args != null && self == args[0];
                case "hashCode":
                    return System.identityHashCode(self);
                default:
                    if (!method.getName().startsWith("execute")) {
                        return UndoConnection.delegate(statement, method, args);
                    }
                    noted.failed = true;
                    Object result = UndoConnection.delegate(statement, method, args);
                    noted.failed = false;
                    noted.changed |= !method.getName().equals("executeQuery") && !Boolean.TRUE.equals(result);
                    return result;
            }
        });
    }

    private void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        Connection kept = plain;
        Local now = local;
        try {
            if (now != null && auto) {
                endStatement(now);
            } else if (now != null) {
                local = null;
                now.connection.close();
            }
        } finally {
            if (kept != null) {
                kept.close();
            }
        }
    }
}
