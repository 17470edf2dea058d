package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Message;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of an outbox that several processes write and send, and what it costs the business. */
class OutboxOrderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int WRITERS = 4;
    private static final int EACH = 15;
    private static final int EXACT_TIMES = 20;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(Named.of("MariaDB", MariaDbServer::shared), Named.of("PostgreSQL", PostgresServer::shared));
    }

    /** Each transaction counts a row up, and says which count that was: the row serialises them, and the key is the row's. */
    @ParameterizedTest
    @MethodSource("databases")
    void transactionsThatChangeTheSameRowAreSentInTheOrderOfTheirCommits(Supplier<SqlAddress> database)
            throws Exception {
        SqlAddress at = database.get();
        run(at, "CREATE TABLE account (id INT PRIMARY KEY, number INT)", "INSERT INTO account VALUES (1, 0)");
        List<Integer> sent = new CopyOnWriteArrayList<>();
        OutboxOptions options = OutboxOptions.DEFAULT.withPollEvery(Duration.ofMillis(20));
        try (TwoBackends backends = TwoBackends.on(at);
                Outbox one = Outbox.over(backends.one().outbox(), message -> take(sent, message), options)
                        .start();
                Outbox other = Outbox.over(backends.other().outbox(), message -> take(sent, message), options)
                        .start()) {
            ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                Outbox mine = i % 2 == 0 ? one : other;
                done.add(writers.submit(() -> write(at, mine)));
            }
            for (Future<?> each : done) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            writers.shutdown();
            Awaitility.await().atMost(PATIENCE).until(() -> sent.size() == WRITERS * EACH);
        }
        assertThat(sent)
                .isEqualTo(IntStream.rangeClosed(1, WRITERS * EACH).boxed().toList());
    }

    private static Reply take(List<Integer> sent, Message message) {
        sent.add(Integer.valueOf(message.text()));
        return Reply.done();
    }

    private static Void write(SqlAddress at, Outbox outbox) throws SQLException {
        try (Connection connection = at.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < EACH; i++) {
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("UPDATE account SET number = number + 1 WHERE id = 1");
                    try (ResultSet row = statement.executeQuery("SELECT number FROM account WHERE id = 1")) {
                        row.next();
                        outbox.enqueue(
                                connection,
                                Message.of("audit", "t/1", row.getString(1)).withKey("account 1"));
                    }
                }
                connection.commit();
                outbox.dispatch();
            }
        }
        return null;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aMessageCostsTheBusinessOneRoundTripAndNoneBesidesTheInsert(Supplier<SqlAddress> database) throws Exception {
        SqlAddress at = database.get();
        run(at, "CREATE TABLE account (id INT PRIMARY KEY, number INT)", "INSERT INTO account VALUES (1, 0)");
        try (JdbcBackend backend = TwoBackends.connect(at);
                FaultProxy proxy = FaultProxy.to(at.socket());
                Connection connection = at.at(proxy.address()).connect()) {
            OutboxStore store = backend.outbox();
            connection.setAutoCommit(false);
            long without = exchanges(proxy, connection, () -> {});
            long with = exchanges(
                    proxy, connection, () -> store.insert(connection, "o", List.of(Message.of("t", "t/1", "x"))));
            assertThat(with - without).isBetween((long) EXACT_TIMES, EXACT_TIMES + 2L);
        }
    }

    private static long exchanges(FaultProxy proxy, Connection connection, Runnable more) throws SQLException {
        long before = 0;
        for (int i = -5; i < EXACT_TIMES; i++) {
            if (i == 0) {
                before = proxy.exchanges(); // what is prepared, is prepared
            }
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE account SET number = number + 1 WHERE id = 1");
            }
            more.run();
            connection.commit();
        }
        return proxy.exchanges() - before;
    }

    /** Twenty thousand that wait for later behind one that does: no look at what is due, or next, reads them. */
    @ParameterizedTest
    @MethodSource("databases")
    void aBacklogIsNotScanned(Supplier<SqlAddress> database) throws Exception {
        SqlAddress at = database.get();
        try (JdbcBackend backend = TwoBackends.connect(at);
                Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            OutboxStore store = backend.outbox();
            boolean postgres = at.url().contains("postgresql");
            String numbers = postgres ? "generate_series(1, 20000) AS s (seq)" : "seq_1_to_20000";
            statement.execute("INSERT INTO tenon_outbox (outbox, lane, due_at, behind, claim, attempts, created_at,"
                    + " message_id, target, message_key, message_type, headers, body, history)"
                    + " SELECT 'o', 'lane', 9000000000000000 + seq, 1, 0, 0, 0, 'id', 't', 'k', 't/1', '', 'x', ''"
                    + " FROM " + numbers);
            statement.execute(postgres ? "ANALYZE tenon_outbox" : "ANALYZE TABLE tenon_outbox");
            Dialect dialect = Dialect.ofUrl(at.url());
            for (String each : List.of(
                    "outbox-due", "outbox-heads", "outbox-first", "outbox-lag", "outbox-stuck", "outbox-waiting")) {
                Sql sql = dialect.sql(each);
                if (postgres) {
                    assertThat(rows(connection, "EXPLAIN ", sql)).noneMatch(step -> step.contains("Seq Scan"));
                } else {
                    statement.execute("FLUSH STATUS");
                    rows(connection, "", sql);
                    long most = each.equals("outbox-waiting") ? 2500 : 500; // which counts up to a thousand
                    assertThat(readByMariaDb(statement)).as(each).isLessThan(most);
                }
            }
            assertThat(store.claim("o", PATIENCE, 100).entries()).isEmpty();
        }
    }

    private static long readByMariaDb(Statement statement) throws SQLException {
        long sum = 0;
        try (ResultSet status = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
            while (status.next()) {
                sum += status.getLong(2);
            }
        }
        return sum;
    }

    /** The first column of what a statement gives. */
    private static List<String> rows(Connection connection, String before, Sql sql) throws SQLException {
        Args args = new Args()
                .text("outbox", "o")
                .text("lane", "lane")
                .number("limit", 100L)
                .number("since", 0L)
                .number("after", 0L)
                .number("attempts", 10L)
                .number("age", 1L)
                .number("look", 400L);
        for (int i = 0; i < 20; i++) {
            args.text("n" + i, i == 0 ? "lane" : "");
        }
        List<String> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(before + sql.text())) {
            args.bind(sql, statement);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(found.getString(1));
                }
            }
        }
        return rows;
    }

    private static void run(SqlAddress at, String... statements) throws SQLException {
        try (Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }
}
