package dev.tenon.testkit.crash;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import org.jspecify.annotations.Nullable;

/** The databases of a {@link CrashProcess}: what may write is a step, and everything ends with the process. */
final class CutJdbc {
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final Set<String> XA_STEPS = Set.of("prepare", "commit", "rollback", "forget");
    private static final Set<String> FREE = Set.of("close", "isClosed", "abort");

    private final CrashProcess process;
    private final String name;

    CutJdbc(CrashProcess process, String name) {
        this.process = process;
        this.name = name;
    }

    /** Without what differs from one run to the next. */
    static String plain(String text) {
        return NUMBER.matcher(text).replaceAll("N");
    }

    static @Nullable Object invoke(Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(CutJdbc.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    DataSource over(DataSource source) {
        return proxy(DataSource.class, (proxy, method, args) -> {
            process.requireAlive();
            Object answer = invoke(source, method, args);
            return answer instanceof Connection connection ? new Wire(connection).proxy() : answer;
        });
    }

    XADataSource over(XADataSource source) {
        return proxy(XADataSource.class, (proxy, method, args) -> {
            process.requireAlive();
            Object answer = invoke(source, method, args);
            return answer instanceof XAConnection connection ? xa(connection) : answer;
        });
    }

    private XAConnection xa(XAConnection connection) {
        AutoCloseable cut = connection::close;
        process.wire(cut);
        return proxy(XAConnection.class, (proxy, method, args) -> {
            if (method.getName().equals("close")) {
                if (!process.isDead() && process.unwire(cut)) {
                    connection.close();
                }
                return null;
            }
            process.requireAlive();
            Object answer = invoke(connection, method, args);
            if (answer instanceof XAResource resource) {
                return xa(resource);
            }
            return answer instanceof Connection handle ? new Wire(handle).handle() : answer;
        });
    }

    private XAResource xa(XAResource resource) {
        return proxy(XAResource.class, (proxy, method, args) -> {
            process.requireAlive();
            return XA_STEPS.contains(method.getName())
                    ? process.step(name + ": XA " + method.getName(), () -> invoke(resource, method, args))
                    : invoke(resource, method, args);
        });
    }

    /** One connection. Used by one thread at a time, and cut by any. */
    private final class Wire implements InvocationHandler, AutoCloseable {
        private final Connection real;
        private final Connection seen;
        private volatile boolean dirty;
        private volatile boolean wired;

        Wire(Connection real) {
            this.real = real;
            this.seen = CutJdbc.proxy(Connection.class, this);
        }

        Connection proxy() {
            wired = true;
            process.wire(this);
            return seen;
        }

        /** That of a connection which is cut itself. */
        Connection handle() {
            return seen;
        }

        /** Cuts it, as the end of a process would. */
        @Override
        public void close() throws SQLException {
            real.abort(Runnable::run);
            if (!real.isClosed()) { // a driver that can't
                if (!real.getAutoCommit()) {
                    real.rollback();
                }
                real.close();
            }
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
                throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method, args, real);
            }
            if (FREE.contains(method.getName())) {
                return free(method, args);
            }
            process.requireAlive();
            boolean commits = method.getName().equals("commit")
                    || method.getName().equals("setAutoCommit") && args != null && Boolean.TRUE.equals(args[0]);
            if (commits && dirty) {
                dirty = false;
                return process.step(name + ": COMMIT", () -> CutJdbc.invoke(real, method, args));
            }
            dirty &= !method.getName().equals("rollback");
            Object answer = CutJdbc.invoke(real, method, args);
            return answer instanceof Statement statement && args != null && args[0] instanceof String sql
                    ? prepared(statement, sql)
                    : answer instanceof Statement statement ? statement(Statement.class, statement, "") : answer;
        }

        private @Nullable Object free(Method method, @Nullable Object @Nullable [] args) throws Throwable {
            if (process.isDead()) {
                return method.getName().equals("isClosed") ? true : null;
            }
            boolean ends = !method.getName().equals("isClosed");
            // A second end, or one while the process dies, would be that of whoever has the connection by then.
            return ends && wired && !process.unwire(this) ? null : CutJdbc.invoke(real, method, args);
        }

        private Statement prepared(Statement statement, String sql) {
            return statement instanceof CallableStatement
                    ? statement(CallableStatement.class, statement, sql)
                    : statement(PreparedStatement.class, statement, sql);
        }

        private <S extends Statement> S statement(Class<S> type, Statement statement, String prepared) {
            return CutJdbc.proxy(type, (proxy, method, args) -> {
                if (method.getDeclaringClass() == Object.class) {
                    return ofObject(proxy, method, args, statement);
                }
                if (process.isDead() && FREE.contains(method.getName())) {
                    return method.getName().equals("isClosed") ? true : null;
                }
                process.requireAlive();
                if (method.getName().equals("getConnection")) {
                    return seen;
                }
                if (method.getName().startsWith("execute")) {
                    String sql = args != null && args.length > 0 && args[0] instanceof String text ? text : prepared;
                    Optional<String> step = process.stepOf(sql);
                    if (step.isPresent()) {
                        dirty |= !real.getAutoCommit();
                        return process.step(name + ": " + step.get(), () -> CutJdbc.invoke(statement, method, args));
                    }
                }
                return CutJdbc.invoke(statement, method, args);
            });
        }
    }

    private static @Nullable Object ofObject(
            Object proxy, Method method, @Nullable Object @Nullable [] args, Object target) throws Throwable {
        return switch (method.getName()) {
            case "equals" -> proxy == Objects.requireNonNull(args)[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> invoke(target, method, args);
        };
    }
}
