package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A database whose tables know of exclusive locks only, with locks that are held and waited for. */
class UpgradeTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String OLD_PROCESS = "0123456789abcdef ";
    private static final long OLD_TOKEN = 1_700_000_000_000_000L;

    private record Database(String url, String user, String password) {
        Database(SqlAddress at) {
            this(at.url(), at.user(), at.password());
        }

        Connection open() throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }

        JdbcBackend connect() {
            return JdbcBackend.connect(url, user, password);
        }
    }

    static Stream<Named<Supplier<Database>>> databases() {
        return Stream.of(
                Named.of("H2", () -> new Database("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "")),
                Named.of("MariaDB", () -> new Database(MariaDbServer.shared())),
                Named.of("MySQL", () -> new Database(MySqlServer.shared())),
                Named.of("PostgreSQL", () -> new Database(PostgresServer.shared())));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void locksOfTheSecondVersionGoOnInTheThird(Supplier<Database> start) throws SQLException {
        Database database = start.get();
        makeSecondVersion(database);
        try (JdbcBackend one = database.connect();
                JdbcBackend other = database.connect()) {
            RecordedEvents events = new RecordedEvents();
            CompletionStage<Session> opening = open(one.lockStore(), events);
            join(open(other.lockStore(), new RecordedEvents())); // both add the column at once, or find it
            LockStore store = one.lockStore();
            String session = join(opening).id();

            LockView view = join(store.inspect("n")).orElseThrow();
            assertThat(view.isHeldUnder(OLD_TOKEN)).isTrue();
            assertThat(view.holders()).extracting(LockView.HolderView::mode).containsExactly(LockMode.EXCLUSIVE);
            assertThat(view.queue()).extracting(LockView.WaiterView::mode).containsExactly(LockMode.EXCLUSIVE);

            Acquire reader = request(session, "reader", Terms.of(LockMode.SHARED));
            assertThat(join(store.acquire(reader)))
                    .isInstanceOfSatisfying(
                            Outcome.Queued.class,
                            queued -> assertThat(queued.ahead()).isEqualTo(1));
            assertThat(release(other.lockStore(), OLD_TOKEN)).isEqualTo(Released.HANDED_OVER);
            Acquire waiter = request("w", "old-waiter", Terms.EXCLUSIVE);
            join(store.open(new SessionSpec("w", "owner", LEASE), new RecordedEvents()));
            Outcome.Granted granted = (Outcome.Granted) join(store.acquire(waiter));
            assertThat(granted.token()).isGreaterThan(OLD_TOKEN);
            assertThat(release(store, granted.token())).isEqualTo(Released.HANDED_OVER);
            Grant grant = events.awaitGrantOf("reader", PATIENCE);
            assertThat(grant.token()).isGreaterThan(granted.token());
        }
    }

    /** The column of the last number has another name from the eleventh version on. */
    @ParameterizedTest
    @MethodSource("databases")
    void sequencesGoOnWhileManyProcessesUpgradeAtOnce(Supplier<Database> start) throws Exception {
        Database database = start.get();
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            Link link = new Link(connection);
            for (String script : Dialect.ofUrl(database.url()).schema().subList(0, 10)) {
                Schema.run(link, script);
            }
            statement.execute("INSERT INTO tenon_range VALUES ('s', 1, 1, 9000000000000000000, 41, 1)");
        }
        List<JdbcBackend> processes = new ArrayList<>();
        Set<Long> numbers = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                JdbcBackend process = database.connect();
                processes.add(process);
                all.add(threads.submit(() -> {
                    for (int j = 0; j < 20; j++) {
                        assertThat(numbers.add(process.ranges().next("s", 1).first()))
                                .isTrue();
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
            processes.forEach(JdbcBackend::close);
        }
        assertThat(numbers)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(42, 161).boxed().toList());
        try (Connection connection = database.open();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT last_given FROM tenon_range WHERE name = 's'")) {
            row.next();
            assertThat(row.getLong(1)).isEqualTo(161);
            assertThatThrownBy(() -> statement.execute("UPDATE tenon_range SET last_value = 5"))
                    .as("what a process of before would write")
                    .isInstanceOf(SQLException.class);
        }
    }

    private static void makeSecondVersion(Database database) throws SQLException {
        Dialect dialect = Dialect.ofUrl(database.url());
        try (Connection connection = database.open()) {
            Link link = new Link(connection);
            for (String script : dialect.schema().subList(0, 2)) {
                Schema.run(link, script);
            }
            long now = System.currentTimeMillis() * 1000;
            long until = now + LockRow.micros(LEASE);
            String waiter = String.join(
                            "\t",
                            "old-waiter",
                            OLD_PROCESS + "w",
                            "waiter",
                            "" + LockRow.micros(LEASE),
                            "" + now,
                            "" + until)
                    + "\n";
            Args row = new Args()
                    .number("token", OLD_TOKEN)
                    .text("session", OLD_PROCESS + "h")
                    .number("now", now)
                    .number("until", until)
                    .text("waiters", waiter);
            link.update(Sql.parse("old row", """
                            INSERT INTO tenon_lock (name, token, version, holder_request, holder_session, holder_owner,
                              held_since, held_until, waited, handed_to, touched_at, waiters)
                            VALUES ('n', :token, 7, 'old-holder', :session, 'holder', :now, :until, 0, NULL, :now, :waiters)
                            """), row);
        }
    }

    private static Acquire request(String session, String id, Terms terms) {
        return new Acquire("n", session, id, "owner", Optional.of(LEASE), LEASE, terms);
    }

    private static Released release(LockStore store, long token) {
        return join(store.release(List.of(new Release("n", token)))).get(0);
    }

    private static CompletionStage<Session> open(LockStore store, RecordedEvents events) {
        return store.open(new SessionSpec(UUID.randomUUID().toString(), "owner", LEASE), events);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
