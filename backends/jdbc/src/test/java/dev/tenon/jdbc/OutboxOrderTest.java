package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
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
    private static final int KEYED = 60;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    /**
     * Each transaction counts a row up, and says which count that was: the row serialises them, and the key is the
     * row's.
     */
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

    /**
     * Three senders over pools in REPEATABLE READ, where a statement may see what is over; one message in ten fails.
     */
    @ParameterizedTest
    @MethodSource("databases")
    void nothingIsLeftBehindThoughSendersGetInEachOthersWay(Supplier<SqlAddress> database) throws Exception {
        SqlAddress at = database.get();
        Map<String, List<Integer>> sent = new ConcurrentHashMap<>();
        OutboxOptions options = OutboxOptions.DEFAULT
                .withPollEvery(Duration.ofMillis(20))
                .withRetry(new RetryPolicy(Duration.ofMillis(5), 1, Duration.ofMillis(5), OptionalInt.of(1000)));
        List<JdbcBackend> backends = new ArrayList<>();
        List<Outbox> outboxes = new ArrayList<>();
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            for (int i = 0; i < 3; i++) {
                backends.add(JdbcBackend.over(repeatableReads(at)));
                outboxes.add(Outbox.over(backends.get(i).outbox(), message -> takeOrFail(sent, message), options)
                        .start());
            }
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                done.add(writers.submit(() -> writeKeys(at, outboxes.get(writer % 3), writer)));
            }
            for (Future<?> each : done) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            int all = WRITERS * KEYED;
            Awaitility.await()
                    .atMost(PATIENCE.multipliedBy(2))
                    .until(() -> sent.values().stream().mapToInt(List::size).sum() >= all);
        } finally {
            writers.shutdown();
            outboxes.forEach(Outbox::close);
            backends.forEach(JdbcBackend::close);
        }
        assertThat(sent)
                .hasSize(2 * WRITERS)
                .allSatisfy((key, order) -> assertThat(order)
                        .as(key)
                        .isEqualTo(IntStream.range(0, KEYED / 2).boxed().toList()));
    }

    private static Reply takeOrFail(Map<String, List<Integer>> sent, Message message) {
        if (ThreadLocalRandom.current().nextInt(10) == 0) {
            throw new IllegalStateException("by chance");
        }
        return take(sent.computeIfAbsent(message.key().orElseThrow(), key -> new CopyOnWriteArrayList<>()), message);
    }

    private static Void writeKeys(SqlAddress at, Outbox outbox, int writer) throws SQLException {
        try (Connection connection = at.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < KEYED; i++) {
                String key = "key " + writer + " " + i % 2;
                outbox.enqueue(
                        connection,
                        Message.of("audit", "t/1", String.valueOf(i / 2)).withKey(key));
                connection.commit();
                outbox.dispatch();
            }
        }
        return null;
    }

    private static DataSource repeatableReads(SqlAddress at) {
        ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
        ClassLoader loader = OutboxOrderTest.class.getClassLoader();
        return (DataSource) Proxy.newProxyInstance(loader, new Class<?>[] {DataSource.class}, (self, method, args) -> {
            Connection kept = idle.pollLast();
            Connection real = kept == null ? at.connect() : kept;
            real.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return Proxy.newProxyInstance(loader, new Class<?>[] {Connection.class}, (it, call, values) -> {
                if (call.getName().equals("close")) {
                    idle.addLast(real);
                    return null;
                }
                try {
                    return call.invoke(real, values);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        });
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
            String numbers = postgres
                    ? "generate_series(1, 20000) AS s (seq)"
                    : "(" + MySqlNumbers.upTo(20_000).replace(" AS n ", " AS seq ") + ") s";
            statement.execute("INSERT INTO tenon_outbox (outbox, lane, due_at, behind, claim, attempts, created_at,"
                    + " message_id, target, message_key, message_type, headers, body, history)"
                    + " SELECT 'o', 'lane', 9000000000000000 + seq, 1, 0, 0, 0, 'id', 't', 'k', 't/1', '', 'x', ''"
                    + " FROM " + numbers);
            statement.execute(postgres ? "ANALYZE tenon_outbox" : "ANALYZE TABLE tenon_outbox");
            Dialect dialect = Dialect.ofUrl(at.url());
            for (SqlStatement each : List.of(
                    SqlStatement.OUTBOX_DUE,
                    SqlStatement.OUTBOX_HEADS,
                    SqlStatement.OUTBOX_FIRST,
                    SqlStatement.OUTBOX_LAG,
                    SqlStatement.OUTBOX_STUCK,
                    SqlStatement.OUTBOX_WAITING,
                    SqlStatement.OUTBOX_RUN,
                    SqlStatement.OUTBOX_HOLD)) {
                Sql sql = dialect.sql(each);
                if (postgres) {
                    assertThat(rows(connection, "EXPLAIN ", sql)).noneMatch(step -> step.contains("Seq Scan"));
                } else {
                    statement.execute("FLUSH STATUS");
                    rows(connection, "", sql);
                    long most = each == SqlStatement.OUTBOX_WAITING ? 2500 : 500; // which counts up to a thousand
                    assertThat(rowsRead(statement)).as(each.name()).isLessThan(most);
                }
            }
            assertThat(store.claim("o", PATIENCE, 100).entries()).isEmpty();
        }
    }

    private static long rowsRead(Statement statement) throws SQLException {
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
        boolean numbers = sql.id().endsWith("run") || sql.id().endsWith("hold");
        for (int i = 0; i < 100; i++) {
            if (numbers) {
                args.number("n" + i, (long) i);
            } else {
                args.text("n" + i, i == 0 ? "lane" : "");
            }
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
