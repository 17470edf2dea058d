package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The backend as its users meet it: addresses, options, their own pool, their own transactions. */
class JdbcBackendTest {
    private static final Duration WAIT = Duration.ofSeconds(30);

    private static String newH2() {
        return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    static Stream<Named<Supplier<DataSource>>> sources() {
        return Stream.of(
                Named.of("H2", () -> source(newH2(), "", "")),
                Named.of("MariaDB", () -> source(MariaDbServer.shared())),
                Named.of("MySQL", () -> source(MySqlServer.shared())),
                Named.of("PostgreSQL", () -> source(PostgresServer.shared())));
    }

    @Test
    void anAddressWithoutADialectIsRefusedWithoutShowingIt() {
        assertThatThrownBy(() -> JdbcBackend.connect("jdbc:oracle:thin:scott/tiger@db"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:oracle:")
                .hasMessageContaining("jdbc:postgresql:")
                .hasMessageNotContaining("tiger");
        assertThatThrownBy(() -> JdbcBackend.connect("postgres")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aDatabaseThatEachConnectionWouldHaveForItselfIsRefused() {
        for (String url : List.of("jdbc:h2:mem:", "jdbc:h2:mem:;MODE=MySQL")) {
            assertThatThrownBy(() -> JdbcBackend.connect(url))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("jdbc:h2:mem:NAME");
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void aSourceTellsWhereItLeads(Supplier<DataSource> start) {
        assertThat(DatabaseUrl.of(start.get()))
                .hasValueSatisfying(
                        url -> assertThat(url).matches("jdbc:(h2:mem:|mariadb://|mysql://|postgresql://).+"));
        assertThat(DatabaseUrl.of(source("jdbc:postgresql://127.0.0.1:1/none", "nobody", "secret")))
                .isEmpty();
    }

    @Test
    void theDriverOfMariaDbTakesAnAddressOfMySqlThatPermitsIt() {
        assertThat(takenByMariaDb("jdbc:mysql://127.0.0.1/shop?permitMysqlScheme"))
                .isTrue();
        assertThat(takenByMariaDb("jdbc:mysql://127.0.0.1/shop")).isFalse();
    }

    private static boolean takenByMariaDb(String url) {
        return DriverManager.drivers()
                .filter(driver -> driver.getClass().getName().startsWith("org.mariadb."))
                .anyMatch(driver -> {
                    try {
                        return driver.acceptsURL(url);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @Test
    void aDatabaseThatIsNotThereIsUnavailable() {
        try (JdbcBackend backend = JdbcBackend.connect("jdbc:postgresql://127.0.0.1:1/none", "nobody", "secret")) {
            assertThatThrownBy(() -> backend.ranges().next("n", 1))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageNotContaining("secret");
            assertThatThrownBy(() -> backend.workerIds("g").census()).isInstanceOf(BackendUnavailableException.class);
            assertThatThrownBy(() -> backend.locks().inspect("n")).isInstanceOf(BackendUnavailableException.class);
        }
    }

    @Test
    void optionsThatCanNeverBeRightAreRefused() {
        assertThatThrownBy(() -> JdbcOptions.DEFAULT.withConnections(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JdbcOptions.DEFAULT.withConnections(1001))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JdbcOptions.DEFAULT.withForgetAfter(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JdbcOptions.DEFAULT.withForgetAfter(Duration.ofDays(2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void tablesAreNotCreatedWhereThatIsSwitchedOff(Supplier<DataSource> start) throws SQLException {
        DataSource source = start.get();
        JdbcOptions frugal = JdbcOptions.DEFAULT.withCreateTables(false);
        try (JdbcBackend backend = JdbcBackend.over(source, frugal)) {
            assertThatThrownBy(() -> backend.ranges().next("n", 1))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("schema");
            try (JdbcBackend creating = JdbcBackend.over(source)) {
                assertThat(creating.ranges().next("n", 1).first()).isEqualTo(1);
            }
            assertThat(backend.ranges().next("n", 1).first()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void aDatabaseWithTheTablesOfTheFirstVersionGetsTheOthers(Supplier<DataSource> start) throws SQLException {
        DataSource source = start.get();
        try (JdbcBackend backend = JdbcBackend.over(source)) {
            assertThat(backend.ranges().next("n", 7).last()).isEqualTo(7);
        }
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE tenon_definition");
            statement.execute("DELETE FROM tenon_schema WHERE version > 1");
        }
        try (JdbcBackend backend = JdbcBackend.over(source)) {
            assertThat(backend.definitions().putIfAbsent("n", "text")).isEqualTo("text");
            assertThat(backend.ranges().next("n", 1).first()).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void oneConnectionIsEnoughForManyThreads(Supplier<DataSource> start) throws InterruptedException {
        try (JdbcBackend backend = JdbcBackend.over(start.get(), JdbcOptions.DEFAULT.withConnections(1))) {
            try (Lease first = backend.locks().lock("a").acquire(WAIT);
                    Lease second = backend.locks().lock("b").acquire(WAIT)) {
                assertThat(backend.locks().lock("a").tryAcquire()).isEmpty();
                assertThat(backend.locks().validate("a", first.token())).isTrue();
                assertThat(backend.locks().validate("b", second.token())).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void theCallersTransactionHasNoPartInIt(Supplier<DataSource> start) throws Exception {
        DataSource source = start.get();
        try (JdbcBackend backend = JdbcBackend.over(source);
                Connection mine = source.getConnection()) {
            mine.setAutoCommit(false);
            long token;
            try (Lease lease = backend.locks().lock("a").acquire(WAIT)) {
                token = lease.token();
                assertThat(backend.ranges().next("n", 10).last()).isEqualTo(10);
                mine.rollback();
                assertThat(backend.locks().validate("a", token)).isTrue();
            }
            assertThat(backend.ranges().next("n", 1).first()).isEqualTo(11);
        }
    }

    @Test
    void everyConnectionOfTheCallersPoolIsGivenBack() throws InterruptedException {
        AtomicInteger open = new AtomicInteger();
        DataSource counted = counting(source(newH2(), "", ""), open);
        try (JdbcBackend backend = JdbcBackend.over(counted)) {
            for (int i = 0; i < 50; i++) {
                backend.locks().lock("n" + i).acquire(WAIT).close();
                backend.ranges().next("n", 1);
            }
            assertThat(open).hasValue(0);
        }
        assertThat(open).hasValue(0);
    }

    @Test
    void whatIsHeldIsFreeWhenItsBackendIsClosed() throws InterruptedException {
        String url = newH2();
        try (JdbcBackend other = JdbcBackend.connect(url)) {
            JdbcBackend backend = JdbcBackend.connect(url);
            backend.locks().lock("a").acquire(WAIT);
            assertThat(other.locks().lock("a").tryAcquire()).isEmpty();
            backend.close();
            backend.close();
            other.locks().lock("a").tryAcquire().orElseThrow().close();
            assertThatThrownBy(() -> backend.ranges().next("n", 1)).isInstanceOf(BackendUnavailableException.class);
        }
    }

    @Test
    void parametersAreReadByNameAndCommentsAndTextsAreLeftAlone() {
        Sql sql = Sql.parse(
                "test", "-- it's :not this\nSELECT ':x' || :name || CAST(:n AS INT), a::int\n-- end\nFROM t\n");
        assertThat(sql.parameters()).containsExactly("name", "n");
        assertThat(sql.text())
                .contains("SELECT ':x' || ? || CAST(? AS INT), a::int")
                .doesNotContain("--");
    }

    private static DataSource source(SqlAddress at) {
        return source(at.url(), at.user(), at.password());
    }

    static DataSource source(String url, String user, String password) {
        return new Source(url, user, password);
    }

    private static DataSource counting(DataSource source, AtomicInteger open) {
        return (DataSource) Proxy.newProxyInstance(
                JdbcBackendTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    Connection connection = source.getConnection();
                    open.incrementAndGet();
                    return Proxy.newProxyInstance(
                            JdbcBackendTest.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (p, called, with) -> {
                                if (called.getName().equals("close")) {
                                    open.decrementAndGet();
                                }
                                try {
                                    return called.invoke(connection, with);
                                } catch (InvocationTargetException e) {
                                    throw e.getTargetException();
                                }
                            });
                });
    }

    private record Source(String url, String user, String password) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }

        @Override
        public Connection getConnection(String as, String with) throws SQLException {
            return DriverManager.getConnection(url, as, with);
        }

        @Override
        public PrintWriter getLogWriter() {
            return new PrintWriter(System.err);
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("No wrapper");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
