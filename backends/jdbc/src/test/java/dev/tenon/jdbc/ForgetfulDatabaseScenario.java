package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Databases that forget who holds their worker IDs, under processes that go on issuing. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ForgetfulDatabaseScenario<S extends TestServer> {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final IdLayout LAYOUT = IdLayout.twitter();
    private static final List<String> TABLES = List.of("tenon_worker_group", "tenon_worker");

    private final S server;
    private final Function<S, SqlAddress> database;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<WorkerIdsForgottenException> told = new CopyOnWriteArrayList<>();
    private final Set<Long> issued = new HashSet<>();
    private SqlAddress address;

    /** @param database makes a new one on the server */
    ForgetfulDatabaseScenario(S server, Function<S, SqlAddress> database) {
        this.server = server;
        this.database = database;
        this.address = database.apply(server);
    }

    /** Longer than the server takes to start again. */
    Duration lease() {
        return Duration.ofSeconds(5);
    }

    /** Makes an empty table that is like another. */
    abstract String like(String table, String name);

    /** URLs of the same database whose sessions differ in what texts of times and numbers depend on. */
    abstract List<String> sessions(String url);

    /** Puts a table in the place of another, at once. */
    abstract List<String> replacement(String table, String by);

    @BeforeEach
    void reset() {
        told.clear();
        issued.clear();
        address = database.apply(server);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        open.clear();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    /** What one process is. */
    private SnowflakeGenerator process(boolean first) {
        JdbcBackend backend = TwoBackends.connect(address);
        open.add(backend);
        WorkerId.Builder builder = WorkerId.builder(backend.workerIds("orders"), LAYOUT)
                .leaseTime(lease())
                .whenForgotten(told::add);
        if (first) {
            builder.newStore();
        }
        WorkerId worker = await().atMost(PATIENCE).ignoreExceptions().until(builder::lease, leased -> true);
        open.add(worker);
        return SnowflakeGenerator.create(LAYOUT, worker);
    }

    private static int workerOf(SnowflakeGenerator ids) {
        return LAYOUT.decode(ids.nextId()).workerId();
    }

    private boolean take(SnowflakeGenerator ids) {
        for (int i = 0; i < 100; i++) {
            long id;
            try {
                id = ids.nextId();
            } catch (TenonException e) {
                return false; // it can't tell whether it still may
            }
            assertThat(issued.add(id)).as("%d is a duplicate", id).isTrue();
        }
        return true;
    }

    /** Runs two holders and whoever starts now beside each other, until all issue. */
    private void allIssueAndNoneRepeats(List<SnowflakeGenerator> holders) {
        long began = System.nanoTime();
        SnowflakeGenerator newcomer = process(false);
        List<SnowflakeGenerator> all = new ArrayList<>(holders);
        all.add(newcomer);
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> all.stream().filter(this::take).count() == all.size()
                        && System.nanoTime() - began > lease().toNanos());
        assertThat(all.stream().map(ids -> workerOf(ids)).distinct()).hasSize(all.size());
    }

    private List<List<Object>> copyOf(String table) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM " + table)) {
            ResultSetMetaData columns = row.getMetaData();
            while (row.next()) {
                List<Object> values = new ArrayList<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    values.add(row.getObject(i));
                }
                rows.add(values);
            }
        }
        return rows;
    }

    private static String literal(Object value) {
        return value == null ? "NULL" : value instanceof Number ? value.toString() : "'" + value + "'";
    }

    private void putBack(Statement statement, String table, List<List<Object>> rows) throws SQLException {
        for (List<Object> row : rows) {
            statement.execute("INSERT INTO " + table + " VALUES ("
                    + String.join(
                            ", ",
                            row.stream().map(ForgetfulDatabaseScenario::literal).toList()) + ")");
        }
    }

    @Test
    void rowsOfADumpAreThereAgainWhileItRuns() throws SQLException {
        SnowflakeGenerator one = process(true);
        List<List<List<Object>>> dump = new ArrayList<>();
        for (String table : TABLES) {
            dump.add(copyOf(table));
        }
        SnowflakeGenerator other = process(false);
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            awaitNextSecond();
            for (int i = 0; i < TABLES.size(); i++) {
                String table = TABLES.get(i);
                statement.execute(like(table, "restored_"));
                putBack(statement, "restored_", dump.get(i));
                for (String step : replacement(table, "restored_")) {
                    statement.execute(step);
                }
            }
        }
        allIssueAndNoneRepeats(List.of(one, other));
        assertThat(told).as("who was not in the dump").isNotEmpty();
    }

    /** MariaDB knows only the second in which a table was made, and in which it was itself started. */
    private static void awaitNextSecond() {
        long second = System.currentTimeMillis() / 1000;
        await().until(() -> System.currentTimeMillis() / 1000 > second);
    }

    @Test
    void rowsAreDeletedWhileItRuns() throws SQLException {
        SnowflakeGenerator one = process(true);
        SnowflakeGenerator other = process(false);
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute("DELETE FROM " + table);
            }
        }
        allIssueAndNoneRepeats(List.of(one, other));
        assertThat(told).hasSize(2);
    }

    @Test
    void sessionsOfOtherSettingsSeeTheSameDatabase() {
        List<String> urls = sessions(address.url());
        for (String url : urls) {
            JdbcBackend backend = JdbcBackend.connect(url, address.user(), address.password());
            open.add(backend);
            WorkerIdSource source = backend.workerIds("orders");
            WorkerId worker = WorkerId.builder(source, LAYOUT)
                    .leaseTime(lease())
                    .newStore()
                    .settlingMax(Duration.ZERO)
                    .lease();
            open.add(worker);
            take(SnowflakeGenerator.create(LAYOUT, worker));
        }
        assertThat(urls).hasSizeGreaterThan(1);
        assertThat(told).isEmpty();
    }

    /**
     * A copy of the data folder that is put back, seen from the rows: they are older, and the server was started again.
     */
    @Test
    void theServerIsStartedFromAnOlderState() throws SQLException {
        SnowflakeGenerator one = process(true);
        List<List<Object>> slots = copyOf("tenon_worker");
        SnowflakeGenerator other = process(false);
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM tenon_worker");
            putBack(statement, "tenon_worker", slots);
        }
        awaitNextSecond();
        server.kill();
        server.restart();
        allIssueAndNoneRepeats(List.of(one, other));
        assertThat(told).as("who was not in the copy").hasSize(1);
    }

    @Test
    void aRestartThatForgetsNothingTellsNobodyAnything() {
        SnowflakeGenerator one = process(true);
        SnowflakeGenerator other = process(false);
        awaitNextSecond();
        server.kill();
        server.restart();
        allIssueAndNoneRepeats(List.of(one, other));
        assertThat(told).isEmpty();

        long began = System.nanoTime();
        take(process(false));
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("it is known that nothing was forgotten")
                .isLessThan(lease());
    }
}
