package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SqlServersTest {
    /** The common pool may have but one thread, and what is started here waits for what is started next. */
    private static final Executor ONE_THREAD_EACH = work -> FaultProxy.daemon("test", work);

    enum Kind {
        MARIADB(
                MariaDbServer::start,
                MariaDbServer::startDurable,
                MariaDbServer::shared,
                "@@innodb_flush_log_at_trx_commit = 1"),
        MYSQL(
                MySqlServer::start,
                MySqlServer::startDurable,
                MySqlServer::shared,
                "@@innodb_flush_log_at_trx_commit = 1"),
        POSTGRES(
                PostgresServer::start,
                PostgresServer::startDurable,
                PostgresServer::shared,
                "current_setting('fsync') = 'on'");

        final Supplier<TestServer> start;
        final Supplier<TestServer> startDurable;
        final Supplier<SqlAddress> shared;
        final String flushes;

        Kind(Supplier<TestServer> start, Supplier<TestServer> durable, Supplier<SqlAddress> shared, String flushes) {
            this.start = start;
            this.startDurable = durable;
            this.shared = shared;
            this.flushes = flushes;
        }

        SqlAddress address(TestServer server) {
            if (server instanceof MySqlServer mysql) {
                return mysql.address();
            }
            return server instanceof MariaDbServer mariadb ? mariadb.address() : ((PostgresServer) server).address();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsCommittedSurvivesAKill(Kind kind) throws Exception {
        try (TestServer server = kind.start.get()) {
            SqlAddress database = kind.address(server).newDatabase();
            execute(database, "CREATE TABLE t (a INT)");
            try (Connection busy = database.connect()) {
                execute(database, "INSERT INTO t VALUES (42)");
                server.kill();
                assertThat(server.running()).isFalse();
                assertThatThrownBy(() -> busy.createStatement().execute("SELECT 1"))
                        .isInstanceOf(SQLException.class);
            }
            assertThatThrownBy(database::connect).isInstanceOf(SQLException.class);
            server.restart();
            assertThat(query(database, "SELECT a FROM t")).isEqualTo("42");
            assertThat(query(database, "SELECT " + kind.flushes)).isIn("0", "f");
        }
    }

    @ParameterizedTest
    @EnumSource
    void pausedEvenAnOpenSessionStandsStill(Kind kind) throws Exception {
        try (TestServer server = kind.start.get();
                Connection session = kind.address(server).connect();
                Statement statement = session.createStatement()) {
            statement.execute("SELECT 1");
            server.pause();
            CompletableFuture<Boolean> reply = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return statement.execute("SELECT 1");
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    ONE_THREAD_EACH);
            assertThatThrownBy(() -> reply.get(150, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            server.resume();
            assertThat(reply.get(60, TimeUnit.SECONDS)).isTrue();
            server.pause();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDurableOneFlushesEachCommit(Kind kind) throws Exception {
        try (TestServer server = kind.startDurable.get()) {
            assertThat(query(kind.address(server), "SELECT " + kind.flushes)).isIn("1", "t");
        }
    }

    @ParameterizedTest
    @EnumSource
    void sharedGivesADatabaseOfItsOwnOnOneServer(Kind kind) throws Exception {
        SqlAddress one = kind.shared.get();
        SqlAddress two = kind.shared.get();
        assertThat(one.socket()).isEqualTo(two.socket());
        assertThat(one.database()).isNotEqualTo(two.database());
        execute(one, "CREATE TABLE t (a INT)");
        execute(two, "CREATE TABLE t (a INT)");
    }

    @Test
    void postgresTakesTwoPhaseCommitsAndManySessions() throws Exception {
        SqlAddress address = PostgresServer.shared();
        assertThat(Integer.parseInt(query(address, "SHOW max_connections"))).isGreaterThanOrEqualTo(200);
        assertThat(Integer.parseInt(query(address, "SHOW max_prepared_transactions")))
                .isPositive();
    }

    @Test
    void anAddressCanLeadAnotherWay() {
        SqlAddress address = new SqlAddress("jdbc:mariadb://db.example:3306/shop?a=b", "u", "p");
        assertThat(address.at(new InetSocketAddress("127.0.0.1", 99)).url())
                .isEqualTo("jdbc:mariadb://127.0.0.1:99/shop?a=b");
        assertThat(address.database()).isEqualTo("shop");
        assertThatThrownBy(() -> new SqlAddress("jdbc:h2:mem:x", "u", "p"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void execute(SqlAddress address, String sql) throws SQLException {
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(SqlAddress address, String sql) throws SQLException {
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertThat(result.next()).isTrue();
            return result.getString(1);
        }
    }
}
