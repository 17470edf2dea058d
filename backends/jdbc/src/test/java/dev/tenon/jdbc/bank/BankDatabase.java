package dev.tenon.jdbc.bank;

import com.mysql.cj.jdbc.MysqlXADataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.crash.BankInvariant.Account;
import dev.tenon.testkit.crash.BankInvariant.Ledger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;

/**
 * One database of the bank: accounts of many worlds. Its connections are used again, unless a process has crashed with
 * them.
 */
final class BankDatabase implements AutoCloseable {
    private final XADataSource xa;
    private final Connector connector;
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable XAConnection looking;
    final DataSource source = reusing();
    final JdbcBackend backend;

    private interface Connector {
        Connection connect() throws SQLException;
    }

    private BankDatabase(XADataSource xa, Connector connector) {
        this.xa = xa;
        this.connector = connector;
        this.backend = JdbcBackend.over(source);
    }

    static BankDatabase h2() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
        return new BankDatabase(source, () -> DriverManager.getConnection(source.getURL()));
    }

    static BankDatabase mariaDb(SqlAddress at) {
        return new BankDatabase(mariaDbXa(at), at::connect);
    }

    private static XADataSource mariaDbXa(SqlAddress at) {
        try {
            MariaDbDataSource source = new MariaDbDataSource(at.url());
            source.setUser(at.user());
            source.setPassword(at.password());
            return source;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static BankDatabase mySql(SqlAddress at) {
        MysqlXADataSource source = new MysqlXADataSource();
        source.setUrl(at.url());
        source.setUser(at.user());
        source.setPassword(at.password());
        return new BankDatabase(source, at::connect);
    }

    static BankDatabase postgres(SqlAddress at) {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(at.url());
        source.setUser(at.user());
        source.setPassword(at.password());
        return new BankDatabase(source, at::connect);
    }

    /** Makes the tables. */
    BankDatabase prepared() throws SQLException {
        try (Connection connection = source.getConnection()) {
            update(
                    connection,
                    "CREATE TABLE account (world VARCHAR(40) NOT NULL, name VARCHAR(20) NOT NULL,"
                            + " available BIGINT NOT NULL, reserved BIGINT NOT NULL, PRIMARY KEY (world, name))");
            update(connection, "CREATE TABLE sale (world VARCHAR(40) PRIMARY KEY)");
        }
        backend.transactions().now(); // makes Tenon's own
        return this;
    }

    XADataSource xa() {
        return xa;
    }

    Ledger ledger(String world) {
        return () -> {
            List<Account> accounts = new ArrayList<>();
            try (Connection connection = source.getConnection();
                    PreparedStatement statement = connection.prepareStatement(
                            "SELECT name, available, reserved FROM account WHERE world = ?")) {
                statement.setString(1, world);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        accounts.add(new Account(rows.getString(1), rows.getLong(2), rows.getLong(3)));
                    }
                }
            }
            return accounts;
        };
    }

    long number(String sql, Object... parameters) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = bound(connection, sql, parameters);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    /** Whether nothing of that service is prepared here. */
    boolean hasNothingPrepared(String service) throws SQLException, XAException {
        mutex.lock();
        try {
            if (looking == null) {
                looking = xa.getXAConnection();
            }
            return Stream.of(looking.getXAResource().recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN))
                    .noneMatch(xid -> new String(xid.getGlobalTransactionId(), StandardCharsets.US_ASCII)
                            .startsWith(service + "/"));
        } finally {
            mutex.unlock();
        }
    }

    private DataSource reusing() {
        return (DataSource) Proxy.newProxyInstance(
                BankDatabase.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("getConnection")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    Connection rested = idle.pollLast();
                    return reused(rested == null ? connector.connect() : rested);
                });
    }

    private Connection reused(Connection real) {
        // Whoever ends it first decides what becomes of it: what was given back may be somebody else's by now.
        AtomicBoolean over = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                BankDatabase.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    switch (method.getName()) {
                        case "close" -> {
                            if (over.compareAndSet(false, true)) {
                                giveBack(real);
                            }
                            return null;
                        }
                        case "abort" -> {
                            if (over.compareAndSet(false, true)) {
                                cut(real);
                            }
                            return null;
                        }
                        case "isClosed" -> {
                            return over.get() || real.isClosed();
                        }
                        default -> {
                            try {
                                return method.invoke(real, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        }
                    }
                });
    }

    /** Never back into the stock: a thread of the process that has crashed may still be at it. */
    private static void cut(Connection real) throws SQLException {
        real.abort(Runnable::run);
        if (!real.isClosed()) { // H2 can't
            real.close();
        }
    }

    private void giveBack(Connection real) throws SQLException {
        if (real.isClosed()) {
            return;
        }
        if (!real.getAutoCommit()) {
            real.rollback();
            real.setAutoCommit(true);
        }
        idle.addLast(real);
    }

    @Override
    public void close() throws SQLException {
        backend.disconnect();
        for (Connection connection = idle.pollLast(); connection != null; connection = idle.pollLast()) {
            connection.close();
        }
        if (looking != null) {
            looking.close();
        }
    }

    /** Removes the transactions of a service, each by its key: nobody else is kept waiting. */
    void forget(String service) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = bound(connection, "SELECT gid FROM tenon_tx WHERE service = ?", service);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                update(connection, "DELETE FROM tenon_tx WHERE gid = ?", rows.getString(1));
            }
        }
    }

    /** A statement without parameters. */
    void execute(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
