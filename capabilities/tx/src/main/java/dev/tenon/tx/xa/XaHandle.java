package dev.tenon.tx.xa;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the business code gets of a connection: everything but the end of the transaction, which some drivers would let
 * through. It notes what would be left behind for the connection's next user, and is dead when the transaction is over.
 */
final class XaHandle implements InvocationHandler {
    private static final Set<String> ALWAYS = Set.of("close", "isClosed", "equals", "hashCode", "toString");

    private final Connection connection;
    private final String database;
    private volatile boolean changed;
    private volatile boolean over;

    private XaHandle(Connection connection, String database) {
        this.connection = connection;
        this.database = database;
    }

    static XaHandle over(Connection connection, String database) {
        return new XaHandle(connection, database);
    }

    /** The connection as the business code sees it. */
    Connection proxy() {
        return (Connection)
                Proxy.newProxyInstance(XaHandle.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    /** Whether something was set that would outlive the transaction. */
    boolean isChanged() {
        return changed;
    }

    /** From now on every use of it fails. */
    void end() {
        over = true;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (over && !ALWAYS.contains(name)) {
            throw new SQLException(
                    "The transaction on \"" + database + "\" is over: ask the next one for its connection");
        }
        switch (name) {
            case "equals":
                return args != null && proxy == args[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "close":
                return null; // it belongs to the transaction
            case "isClosed":
                return over || connection.isClosed();
            case "getAutoCommit":
                return false; // some drivers do not know better
            default:
                refuseEnd(name, args);
                changed |= name.startsWith("set") && !name.equals("setSavepoint")
                        || name.equals("unwrap")
                        || name.equals("abort");
                return call(method, args);
        }
    }

    private void refuseEnd(String name, @Nullable Object @Nullable [] args) throws SQLException {
        boolean rollback = name.equals("rollback") && (args == null || args.length == 0);
        boolean autoCommit = name.equals("setAutoCommit") && args != null && Boolean.TRUE.equals(args[0]);
        if (name.equals("commit") || rollback || autoCommit) {
            throw new SQLException(
                    name + " is not this connection's to decide: it is part of a transaction over several"
                            + " databases, which XaTransaction.commit() and rollback() end");
        }
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(connection, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
