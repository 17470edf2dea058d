package dev.tenon.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;

/**
 * The accounts of one bank, in a database that flushes each commit to the disk before it answers; and Tenon there. All
 * are empty at first and may be overdrawn, so what is in all of them together tells whether money was made or lost.
 */
final class Accounts implements AutoCloseable {
    private static final int COUNT = 256;

    private final AutoCloseable server;
    private final SqlAddress address;
    private final XADataSource xa;
    private final HikariDataSource pool;
    private final JdbcBackend tenon;

    private Accounts(AutoCloseable server, SqlAddress address, XADataSource xa) {
        this.server = server;
        this.address = address;
        this.xa = xa;
        this.pool = SqlPool.to(address);
        this.tenon = JdbcBackend.connect(address.url(), address.user(), address.password());
        SqlPool.execute(pool, "CREATE TABLE account (id INT PRIMARY KEY, balance BIGINT NOT NULL)");
        for (int id = 0; id < COUNT; id++) {
            SqlPool.execute(pool, "INSERT INTO account VALUES (" + id + ", 0)");
        }
    }

    static Accounts onPostgres() {
        PostgresServer server = PostgresServer.startDurable();
        SqlAddress address = server.address();
        PGXADataSource xa = new PGXADataSource();
        xa.setUrl(address.url());
        xa.setUser(address.user());
        xa.setPassword(address.password());
        return new Accounts(server, address, xa);
    }

    /** The same, with what a tail of the log needs. */
    static Accounts onPostgresWithLogicalLog() throws SQLException {
        PostgresServer server = PostgresServer.startDurable();
        SqlAddress address = server.address();
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET wal_level = 'logical'");
        }
        server.restart();
        return new Accounts(server, address, new PGXADataSource());
    }

    /** A tail of this database's log. */
    SendingOutbox tail() throws SQLException {
        return new LogTail(this, address.url(), address.user());
    }

    static Accounts onMariaDb() throws SQLException {
        MariaDbServer server = MariaDbServer.startDurable();
        SqlAddress address = server.address();
        MariaDbDataSource xa = new MariaDbDataSource(address.url());
        xa.setUser(address.user());
        xa.setPassword(address.password());
        return new Accounts(server, address, xa);
    }

    JdbcBackend tenon() {
        return tenon;
    }

    DataSource pool() {
        return pool;
    }

    XADataSource xa() {
        return xa;
    }

    /** A connection of the pool, with a transaction open. */
    Connection begin() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Which account a thread has for itself, beside the next one. */
    static int of(String thread) {
        return 2 * Integer.parseInt(thread.substring(thread.lastIndexOf('-') + 1)) % COUNT;
    }

    static void add(Connection connection, int account, int amount) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            statement.setInt(1, amount);
            statement.setInt(2, account);
            statement.executeUpdate();
        }
    }

    /** The business: moves money from one of a thread's accounts to the other. */
    static void move(Connection connection, int account) throws SQLException {
        add(connection, account, -1);
        add(connection, account + 1, 1);
    }

    /** All balances together. */
    long sum() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT SUM(balance) FROM account")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() {
        tenon.close();
        pool.close();
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException("The server of " + address.url() + " did not stop", e);
        }
    }
}
