package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.MariaDbServer;
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
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is left of locks that nobody uses any more: one fence row, and no way back for their tokens. */
class SweepTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(50);
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
                Named.of("PostgreSQL", () -> new Database(PostgresServer.shared())));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void manyNamesLeaveNothingBehind(Supplier<Database> start) {
        Database database = start.get();
        try (JdbcBackend backend = connect(database)) {
            String session = open(backend.lockStore());
            List<CompletionStage<?>> calls = new ArrayList<>();
            for (int i = 0; i < 1500; i++) {
                Acquire released = request(UUID.randomUUID().toString(), session, LEASE, Duration.ZERO);
                calls.add(backend.lockStore()
                        .acquire(released)
                        .thenCompose(outcome -> backend.lockStore()
                                .release(List.of(new Release(released.name(), ((Outcome.Granted) outcome).token())))));
            }
            for (int i = 0; i < 20; i++) {
                String name = UUID.randomUUID().toString();
                join(backend.lockStore().acquire(request(name, session, SHORT, Duration.ZERO)));
                Acquire waiting = request(name, session, SHORT, SHORT);
                join(backend.lockStore().acquire(waiting));
                if (i % 2 == 0) {
                    join(backend.lockStore().cancel(new Cancel(name, waiting.requestId())));
                }
            }
            calls.forEach(SweepTest::join);
            Acquire kept = request("kept", session, LEASE, Duration.ZERO);
            long token = ((Outcome.Granted) join(backend.lockStore().acquire(kept))).token();

            await().atMost(Duration.ofSeconds(60)).until(() -> {
                backend.runOnce();
                return database.number("SELECT COUNT(*) FROM tenon_lock") == 1;
            });
            assertThat(database.number("SELECT COUNT(*) FROM tenon_fence")).isEqualTo(1);
            backend.runOnce();
            assertThat(join(backend.lockStore().inspect("kept")).orElseThrow().isHeldUnder(token))
                    .isTrue();
            assertThat(database.number("SELECT COUNT(*) FROM tenon_lock")).isEqualTo(1);
        }
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
                    .isGreaterThan(ahead);
        }
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

    private static JdbcBackend connect(Database database) {
        return JdbcBackend.connect(database.url(), database.user(), database.password(), AT_ONCE);
    }

    private static Acquire request(String name, String session, Duration lease, Duration wait) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(lease), wait);
    }

    private static String open(LockStore store) {
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "owner", Duration.ofMinutes(5));
        return join(store.open(spec, new RecordedEvents())).id();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
