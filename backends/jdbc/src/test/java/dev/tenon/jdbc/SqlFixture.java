package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;

/**
 * A database on a server, for the suites that break it; its place is URL, user and password. Public, as other JVMs make
 * one too.
 */
public abstract class SqlFixture implements LockStoreFixture {
    private SqlFixture() {}

    /** MariaDB. */
    public static final class MariaDb extends SqlFixture {
        @Override
        public TestServer start() {
            return MariaDbServer.start();
        }

        @Override
        public String newPlace(TestServer server) {
            return place(((MariaDbServer) server).address().newDatabase(), "connectTimeout=5000&socketTimeout=5000");
        }
    }

    /** MySQL. */
    public static final class MySql extends SqlFixture {
        @Override
        public TestServer start() {
            return MySqlServer.start();
        }

        @Override
        public String newPlace(TestServer server) {
            return place(((MySqlServer) server).address().newDatabase(), "connectTimeout=5000&socketTimeout=5000");
        }
    }

    /** PostgreSQL. */
    public static final class Postgres extends SqlFixture {
        @Override
        public TestServer start() {
            return PostgresServer.start();
        }

        @Override
        public String newPlace(TestServer server) {
            return place(((PostgresServer) server).address().newDatabase(), "connectTimeout=5&socketTimeout=5");
        }
    }

    private static String place(SqlAddress at, String options) {
        SqlAddress quick = at.with(options);
        try (Connection connection = quick.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE register (id INT PRIMARY KEY, number BIGINT)");
            statement.execute("INSERT INTO register VALUES (1, 0)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return String.join(" ", quick.url(), quick.user(), quick.password());
    }

    private static SqlAddress address(String place) {
        String[] words = place.split(" ");
        return new SqlAddress(words[0], words[1], words[2]);
    }

    @Override
    public Backend open(String place) {
        JdbcBackend backend = TwoBackends.connect(address(place));
        return new Backend(backend.lockStore(), backend::close);
    }

    @Override
    public Register register(String place, Path folder) {
        return new TableRegister(address(place));
    }

    /** A row, and the token that guards it, read and written in one transaction each. */
    private static final class TableRegister implements Register {
        private final SqlAddress address;
        private final JdbcBackend backend;
        private final JdbcFence fence;

        TableRegister(SqlAddress address) {
            this.address = address;
            this.backend = TwoBackends.connect(address);
            this.fence = backend.fence();
        }

        @Override
        public long read(OptionalLong token) {
            return inTransaction(token, statement -> {
                try (ResultSet row = statement.executeQuery("SELECT number FROM register WHERE id = 1")) {
                    row.next();
                    return row.getLong(1);
                }
            });
        }

        @Override
        public void write(long value, OptionalLong token) {
            inTransaction(token, statement ->
                    (long) statement.executeUpdate("UPDATE register SET number = " + value + " WHERE id = 1"));
        }

        @Override
        public void close() {
            backend.close();
        }

        private interface Work {
            long on(Statement statement) throws SQLException;
        }

        private long inTransaction(OptionalLong token, Work work) {
            try (Connection connection = address.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                if (token.isPresent()) {
                    fence.check(connection, "register", token.getAsLong());
                }
                long result = work.on(statement);
                connection.commit();
                return result;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
