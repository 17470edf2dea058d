package dev.tenon.jdbc;

import com.mysql.cj.jdbc.MysqlXADataSource;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.SqlAddress;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;

/**
 * A database that counts what is done with it: statements, what it has to flush (commits, and prepares of XA), and how
 * often a line is crossed. Its connections are kept, as a pool would: those of the business with autocommit off, those
 * of Tenon with it on.
 */
final class CountedDatabase implements AutoCloseable {
    private final SqlAddress address;
    private final FaultProxy proxy;
    private final SqlAddress counted;
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    final DataSource business;
    final JdbcBackend backend;

    /** What docs/backends/jdbc.md says to tell Connector/J in the URL of a pool. */
    private static final String AS_THE_PAGE_SAYS = "rewriteBatchedStatements=true&useLocalSessionState=true";

    /** Not counted. */
    final JdbcBackend direct;

    /** What was done. */
    record Count(int statements, int commits, int roundTrips) {
        Count plus(Count other) {
            return new Count(statements + other.statements, commits + other.commits, roundTrips + other.roundTrips);
        }

        Count minus(Count other) {
            return new Count(statements - other.statements, commits - other.commits, roundTrips - other.roundTrips);
        }

        /** The least of each: what comes on top, such as a connection that is opened, is not always there. */
        Count least(Count other) {
            return new Count(
                    Math.min(statements, other.statements),
                    Math.min(commits, other.commits),
                    Math.min(roundTrips, other.roundTrips));
        }
    }

    CountedDatabase(SqlAddress address) throws SQLException {
        this.address = address;
        this.proxy = FaultProxy.to(address.socket());
        SqlAddress line = address.at(proxy.address());
        this.counted = address.url().startsWith("jdbc:mysql:") ? line.with(AS_THE_PAGE_SAYS) : line;
        this.business = pool(false);
        this.backend = JdbcBackend.over(pool(true));
        this.direct = TwoBackends.connect(address);
        direct.transactions().now(); // makes the tables
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance BIGINT NOT NULL)");
            statement.execute("INSERT INTO account VALUES (1, 0), (2, 0)");
            statement.execute("CREATE TABLE many (id INT PRIMARY KEY, n BIGINT NOT NULL)");
            statement.execute("INSERT INTO many VALUES "
                    + IntStream.rangeClosed(1, 1_000)
                            .mapToObj(id -> "(" + id + ", 0)")
                            .collect(Collectors.joining(", ")));
        }
    }

    /** A statement of the business. */
    static int change(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE account SET balance = balance + 1 WHERE id = ?")) {
            statement.setInt(1, 1);
            return statement.executeUpdate();
        }
    }

    /** A connection that is not counted. */
    Connection connect() throws SQLException {
        return address.connect();
    }

    /** @param rows a table, and which of its rows */
    boolean isEmpty(String rows) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + rows)) {
            row.next();
            return row.getInt(1) == 0;
        }
    }

    Count count() {
        return new Count(statements.get(), commits.get(), Math.toIntExact(proxy.exchanges()));
    }

    private DataSource pool(boolean auto) {
        ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
        return proxy(DataSource.class, (self, method, args) -> {
            Connection kept = idle.pollLast();
            Connection real = kept == null ? counted.connect() : kept;
            if (kept == null) {
                real.setAutoCommit(auto);
            }
            return connection(real, false, () -> idle.addLast(real));
        });
    }

    XADataSource xa() throws SQLException {
        XADataSource real;
        if (address.url().startsWith("jdbc:mariadb:")) {
            MariaDbDataSource source = new MariaDbDataSource(counted.url());
            source.setUser(address.user());
            source.setPassword(address.password());
            real = source;
        } else if (address.url().startsWith("jdbc:mysql:")) {
            MysqlXADataSource source = new MysqlXADataSource();
            source.setUrl(counted.url());
            source.setUser(address.user());
            source.setPassword(address.password());
            real = source;
        } else {
            PGXADataSource source = new PGXADataSource();
            source.setUrl(counted.url());
            source.setUser(address.user());
            source.setPassword(address.password());
            real = source;
        }
        return proxy(
                XADataSource.class,
                (self, method, args) -> invoke(real, method, args) instanceof XAConnection c ? xa(c) : null);
    }

    private XAConnection xa(XAConnection real) {
        return proxy(XAConnection.class, (self, method, args) -> {
            Object answer = invoke(real, method, args);
            if (answer instanceof XAResource resource) {
                return proxy(XAResource.class, (it, call, values) -> {
                    if (Set.of("prepare", "commit").contains(call.getName())) {
                        commits.incrementAndGet();
                    }
                    return invoke(resource, call, values);
                });
            }
            return answer instanceof Connection handle ? connection(handle, true, handle::close) : answer;
        });
    }

    /** @param xa whether its statements are part of a transaction that is ended elsewhere */
    private Connection connection(Connection real, boolean xa, AutoCloseable end) {
        boolean[] dirty = new boolean[1];
        return proxy(Connection.class, (self, method, args) -> {
            String name = method.getName();
            if (name.equals("close")) {
                end.close();
                return null;
            }
            boolean ends = name.equals("commit") || name.equals("setAutoCommit") && Boolean.TRUE.equals(args[0]);
            if (ends && dirty[0]) {
                dirty[0] = false;
                commits.incrementAndGet();
            }
            dirty[0] &= !name.equals("rollback");
            Object answer = invoke(real, method, args);
            if (!(answer instanceof Statement statement)) {
                return answer;
            }
            Class<? extends Statement> type =
                    statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
            String prepared = statement instanceof PreparedStatement ? (String) args[0] : "";
            return proxy(type, (it, call, values) -> {
                if (call.getName().startsWith("execute")) {
                    String sql = values != null && values.length > 0 && values[0] instanceof String s ? s : prepared;
                    dirty[0] = executed(sql.toUpperCase(Locale.ROOT), !xa && real.getAutoCommit(), dirty[0]);
                }
                return invoke(statement, call, values);
            });
        });
    }

    /** Counts a statement; answers whether something is to be committed after it. */
    private boolean executed(String sql, boolean auto, boolean dirty) {
        if (sql.startsWith("SET TRANSACTION")) {
            return dirty; // what opens a transaction, as turning autocommit off does: a round trip, and no work
        }
        statements.incrementAndGet();
        boolean writes = dirty || !sql.startsWith("SELECT") && !sql.startsWith("(SELECT");
        if (writes && (auto || sql.contains("COMMIT"))) {
            commits.incrementAndGet();
            return false;
        }
        return writes;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(CountedDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        backend.close();
        direct.close();
        proxy.close();
    }
}
