package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.Punctual;
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
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No way back for the tokens of locks whose rows are swept, nor for time. */
class SweepTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final JdbcOptions AT_ONCE = JdbcOptions.DEFAULT.withForgetAfter(Duration.ZERO);

    private record Database(String url, String user, String password) {
        Database(SqlAddress at) {
            this(at.url(), at.user(), at.password());
        }

        long number(String sql) {
            try (Connection connection = DriverManager.getConnection(url, user, password);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        Link link() throws SQLException {
            return new Link(DriverManager.getConnection(url, user, password));
        }

        LockCalls calls() {
            Dialect dialect = Dialect.ofUrl(url);
            return new LockCalls(dialect, new Shortcuts(dialect, false), "stale", new NoBell());
        }

        void execute(String sql) {
            try (Connection connection = DriverManager.getConnection(url, user, password);
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
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
    void aTokenDoesNotComeAgainThoughItsRowIsGoneAndTheClockWentBack(Supplier<Database> start) {
        Database database = start.get();
        try (JdbcBackend backend = connect(database)) {
            String session = open(backend.lockStore());
            Acquire first = request("n", session, LEASE, Duration.ZERO);
            long token = ((Outcome.Granted) join(backend.lockStore().acquire(first))).token();
            join(backend.lockStore().release(List.of(new Release("n", token))));
            // As if the database's clock had been a year ahead when that token was granted.
            long ahead = token + Duration.ofDays(365).toNanos() / 1000;
            database.execute("UPDATE tenon_lock SET token = " + ahead);
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                backend.runOnce();
                return database.number("SELECT COUNT(*) FROM tenon_lock") == 0;
            });
            assertThat(((Outcome.Granted)
                                    join(backend.lockStore().acquire(request("n", session, LEASE, Duration.ZERO))))
                            .token())
                    .isEqualTo(ahead + LockMachine.TOKEN_STRIDE);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void eachStatementThatGrantsReservesABlockOfTokens(Supplier<Database> start) throws Exception {
        Database database = start.get();
        try (JdbcBackend backend = connect(database)) {
            // What is handed over is to be claimed within seconds, by a machine that does not stand still meanwhile.
            Punctual.judge(
                    LockMachine.CLAIM_LEASE.dividedBy(5),
                    () -> join(backend.lockStore().inspect("punctual")),
                    () -> assertReservesBlocks(
                            database, backend.lockStore(), UUID.randomUUID().toString()));
        }
    }

    private static void assertReservesBlocks(Database database, MultiLockStore store, String name) {
        String session = open(store);
        long token = granted(join(store.acquire(request(name, session, LEASE, Duration.ZERO))));
        // As if the database's clock had been a year ahead: now it has no say in what comes next.
        long first = token + Duration.ofDays(365).toNanos() / 1000;
        database.execute("UPDATE tenon_lock SET token = " + first + " WHERE name = '" + name + "'");
        join(store.release(List.of(new Release(name, first))));
        List<Long> tokens = new ArrayList<>();
        tokens.add(granted(join(store.acquire(request(name, session, LEASE, Duration.ZERO)))));
        Acquire waiting = request(name, session, LEASE, LEASE);
        assertThat(join(store.acquire(waiting))).isInstanceOf(Outcome.Queued.class);
        join(store.release(List.of(new Release(name, tokens.get(0)))));
        tokens.add(granted(join(store.acquire(waiting))));
        Acquire reader = request(name, session, LEASE, LEASE, Terms.of(LockMode.SHARED));
        assertThat(join(store.acquire(reader))).isInstanceOf(Outcome.Queued.class);
        join(store.release(List.of(new Release(name, tokens.get(1)))));
        tokens.add(granted(join(store.acquire(reader))));
        tokens.add(join(store.evict(name, tokens.get(2), "test")).orElseThrow());
        List<Outcome> together = join(store.acquireAll(List.of(request(name, session, LEASE, Duration.ZERO))));
        tokens.add(granted(together.get(0)));
        for (int i = 0; i < tokens.size(); i++) {
            assertThat(tokens.get(i)).as("token %s", i).isEqualTo(first + (i + 1) * LockMachine.TOKEN_STRIDE);
        }
    }

    private static long granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aClockThatGoesBackStopsALocksTimeAndNothingElse(Supplier<Database> start) {
        Database database = start.get();
        try (JdbcBackend backend = connect(database)) {
            String session = open(backend.lockStore());
            Acquire first = request("n", session, LEASE, Duration.ZERO);
            long token = ((Outcome.Granted) join(backend.lockStore().acquire(first))).token();
            // As if the clock had been an hour ahead until now.
            long hour = Duration.ofHours(1).toNanos() / 1000;
            database.execute("UPDATE tenon_lock SET touched_at = touched_at + " + hour + ", held_since = held_since + "
                    + hour + ", held_until = held_until + " + hour);
            Acquire waiting = request("n", session, LEASE, LEASE);
            assertThat(join(backend.lockStore().acquire(waiting))).isInstanceOf(Outcome.Queued.class);
            join(backend.lockStore().release(List.of(new Release("n", token))));
            Outcome outcome = join(backend.lockStore().acquire(waiting));
            assertThat(outcome).isInstanceOfSatisfying(Outcome.Granted.class, granted -> {
                assertThat(granted.token()).isGreaterThan(token);
                assertThat(granted.lease()).isBetween(Duration.ofMillis(1), LEASE);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whoReadTheRowBeforeItWasSweptTakesNothingFromItsNextHolder(Supplier<Database> start) throws Exception {
        Database database = start.get();
        try (JdbcBackend backend = connect(database)) {
            String session = open(backend.lockStore());
            granted(join(backend.lockStore().acquire(request("n", session, LEASE, Duration.ZERO))));
            database.execute("UPDATE tenon_lock SET held_until = held_since");
            LockCalls calls = database.calls();
            Link link = database.link();
            try {
                LockRow stale = calls.read(link, "n");
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    backend.runOnce();
                    return database.number("SELECT COUNT(*) FROM tenon_lock") == 0;
                });
                long token = granted(join(backend.lockStore().acquire(request("n", session, LEASE, Duration.ZERO))));
                assertThat(calls.read(link, "n").version()).isEqualTo(stale.version());

                Acquire late = request("n", "late", LEASE, Duration.ZERO);
                assertThat(calls.run(link, stale, calls.acquiring(late)).answer())
                        .isInstanceOf(Outcome.Busy.class);
                assertThat(calls.read(link, "n").state().isHeldUnder(token)).isTrue();
            } finally {
                link.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whoReadTheRowBeforeItWasSweptHandsItsNextHoldersLockToNobody(Supplier<Database> start) throws Exception {
        Database database = start.get();
        try (JdbcBackend backend = JdbcBackend.connect(database.url(), database.user(), database.password())) {
            String session = open(backend.lockStore());
            granted(join(backend.lockStore().acquire(request("n", session, LEASE, Duration.ZERO))));
            assertThat(join(backend.lockStore().acquire(request("n", session, LEASE, LEASE))))
                    .isInstanceOf(Outcome.Queued.class);
            database.execute("UPDATE tenon_lock SET held_until = held_since");
            LockCalls calls = database.calls();
            Link link = database.link();
            try {
                LockRow stale = calls.read(link, "n");
                // As if whoever waits there had given up, and the row had been swept.
                database.execute("DELETE FROM tenon_lock");
                long token = granted(join(backend.lockStore().acquire(request("n", session, LEASE, Duration.ZERO))));
                Acquire waiting = request("n", session, LEASE, LEASE);
                assertThat(join(backend.lockStore().acquire(waiting))).isInstanceOf(Outcome.Queued.class);
                assertThat(calls.read(link, "n").version()).isEqualTo(stale.version());

                calls.run(link, stale, LockMachine::settle);
                LockState now = calls.read(link, "n").state();
                assertThat(now.isHeldUnder(token)).isTrue();
                assertThat(now.queue())
                        .singleElement()
                        .matches(w -> w.requestId().equals(waiting.requestId()));
            } finally {
                link.close();
            }
        }
    }

    private static JdbcBackend connect(Database database) {
        return JdbcBackend.connect(database.url(), database.user(), database.password(), AT_ONCE);
    }

    private static Acquire request(String name, String session, Duration lease, Duration wait) {
        return request(name, session, lease, wait, Terms.EXCLUSIVE);
    }

    private static Acquire request(String name, String session, Duration lease, Duration wait, Terms terms) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(lease), wait, terms);
    }

    private static String open(LockStore store) {
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "owner", Duration.ofMinutes(5));
        return join(store.open(spec, new RecordedEvents())).id();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
