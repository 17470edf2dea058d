package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Message;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import dev.tenon.tx.spi.Settlement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever claims may stand still before the commit of the claim, for as long as a machine does: the business, which
 * writes what will be claimed later, does not wait for that. The connections come from a pool, in whatever isolation
 * level that gives them.
 */
class ClaimTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    /** Whoever waits longer waits for the claim, which is not committed before. */
    private static final int SECONDS_MAX = 20;

    private static final List<String> OUTBOXES = List.of("a", "m", "z");

    static Stream<Arguments> places() {
        Supplier<SqlAddress> mariaDb = MariaDbServer::shared;
        Supplier<SqlAddress> mySql = MySqlServer::shared;
        Supplier<SqlAddress> postgres = PostgresServer::shared;
        return Stream.of(
                Arguments.argumentSet("MariaDB, REPEATABLE READ", mariaDb, Connection.TRANSACTION_REPEATABLE_READ),
                Arguments.argumentSet("MariaDB, READ COMMITTED", mariaDb, Connection.TRANSACTION_READ_COMMITTED),
                Arguments.argumentSet("MySQL, REPEATABLE READ", mySql, Connection.TRANSACTION_REPEATABLE_READ),
                Arguments.argumentSet("MySQL, READ COMMITTED", mySql, Connection.TRANSACTION_READ_COMMITTED),
                Arguments.argumentSet("PostgreSQL, REPEATABLE READ", postgres, Connection.TRANSACTION_REPEATABLE_READ),
                Arguments.argumentSet("PostgreSQL, READ COMMITTED", postgres, Connection.TRANSACTION_READ_COMMITTED));
    }

    @ParameterizedTest
    @MethodSource("places")
    void anInsertIntoTheOutboxNeverWaitsForASendersClaim(Supplier<SqlAddress> server, int isolation) throws Exception {
        Place place = new Place(server.get(), isolation);
        for (int known : List.of(0, 1, 3)) {
            String outbox = "m" + known;
            enqueue(place, outbox, known);

            int claimed = place.beforeItsCommit(
                    backend ->
                            backend.outbox().claim(outbox, LEASE, 10).entries().size(),
                    () -> {
                        for (String other : OUTBOXES) {
                            enqueue(place, other, 1);
                        }
                        enqueue(place, outbox, 2);
                    });

            assertThat(claimed).isEqualTo(known);
        }
        place.close();
    }

    /** What was claimed was sent by somebody else meanwhile, and is not there any more. */
    @ParameterizedTest
    @MethodSource("places")
    void anInsertIntoTheOutboxNeverWaitsForASenderWhoComesTooLate(Supplier<SqlAddress> server, int isolation)
            throws Exception {
        Place place = new Place(server.get(), isolation);
        OutboxStore outbox = place.backend.outbox();
        enqueue(place, "m", 2);
        List<Settlement> sent = outbox.claim("m", LEASE, 10).entries().stream()
                .<Settlement>map(entry -> new Settlement.Sent(entry, false))
                .toList();
        outbox.settle("m", sent);

        place.beforeItsCommit(backend -> backend.outbox().settle("m", sent), () -> enqueue(place, "m", 2));

        assertThat(outbox.claim("m", LEASE, 10).entries()).hasSize(2);
        place.close();
    }

    @ParameterizedTest
    @MethodSource("places")
    void aTransactionBeginsWithoutWaitingForTheClaimOfRecovery(Supplier<SqlAddress> server, int isolation)
            throws Exception {
        Place place = new Place(server.get(), isolation);
        place.begin("m");

        int claimed = place.beforeItsCommit(backend -> claim(backend, "m"), () -> {
            for (String service : OUTBOXES) {
                place.begin(service);
            }
        });

        assertThat(claimed).isEqualTo(1);
        place.close();
    }

    /** Beside what is claimed, in the order of an index, is what others are to claim. */
    @ParameterizedTest
    @MethodSource("places")
    void aClaimHidesNothingFromOthers(Supplier<SqlAddress> server, int isolation) throws Exception {
        Place place = new Place(server.get(), isolation);
        for (String each : OUTBOXES) {
            enqueue(place, each, 3);
            place.begin(each);
        }

        int messages = place.beforeItsCommit(
                backend -> backend.outbox().claim("m", LEASE, 10).entries().size(), () -> {
                    for (String other : List.of("a", "z")) {
                        assertThat(place.backend
                                        .outbox()
                                        .claim(other, LEASE, 10)
                                        .entries())
                                .as(other)
                                .hasSize(3);
                    }
                    assertThat(place.backend.outbox().claim("m", LEASE, 10).entries())
                            .isEmpty();
                });
        int transactions = place.beforeItsCommit(backend -> claim(backend, "m"), () -> {
            assertThat(claim(place.backend, "a")).isEqualTo(1);
            assertThat(claim(place.backend, "z")).isEqualTo(1);
            assertThat(claim(place.backend, "m")).isZero();
        });

        assertThat(messages).isEqualTo(3);
        assertThat(transactions).isEqualTo(1);
        place.close();
    }

    /** Several senders of one outbox: each finds what the other has not. */
    @ParameterizedTest
    @MethodSource("places")
    void whoComesDuringAClaimTakesWhatIsLeft(Supplier<SqlAddress> server, int isolation) throws Exception {
        Place place = new Place(server.get(), isolation);
        for (int i = 0; i < 8; i++) {
            enqueue(place, "m", 1);
        }

        int first = place.beforeItsCommit(
                backend -> backend.outbox().claim("m", LEASE, 4).entries().size(),
                () -> assertThat(place.backend.outbox().claim("m", LEASE, 4).entries())
                        .hasSize(4));

        assertThat(first).isEqualTo(4);
        place.close();
    }

    /** Whoever sends the message before it waits for the claim, and makes it due: else it would be forgotten. */
    @ParameterizedTest
    @MethodSource("places")
    void whatAClaimPutsOffIsFreedByWhoeverEndsTheOneBeforeIt(Supplier<SqlAddress> server, int isolation)
            throws Exception {
        Place place = new Place(server.get(), isolation);
        ExecutorService sender = Executors.newSingleThreadExecutor();
        OutboxStore outbox = place.backend.outbox();
        place.keyed("m");
        List<Settlement> sent = sentOf(outbox.claim("m", LEASE, 10).entries());
        place.keyed("m");
        List<Future<Boolean>> settled = new ArrayList<>();
        try (JdbcBackend settling = JdbcBackend.over(place.pool(() -> {}))) {
            settling.transactions().now();
            int claimed = place.beforeItsCommit(
                    backend -> backend.outbox().claim("m", LEASE, 10).entries().size(), () -> {
                        settled.add(sender.submit(() -> settling.outbox().settle("m", sent)));
                        place.awaitSomebodyWaits();
                    });

            assertThat(claimed).isZero();
            assertThat(settled.get(0).get(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(outbox.claim("m", LEASE, 10).entries()).hasSize(1);
        sender.shutdown();
        place.close();
    }

    /** A claim that comes while the end of the one before is being written puts nothing off that nobody would free. */
    @ParameterizedTest
    @MethodSource("places")
    void whatIsFoundWhileTheOneBeforeItEndsStaysDue(Supplier<SqlAddress> server, int isolation) throws Exception {
        Place place = new Place(server.get(), isolation);
        OutboxStore outbox = place.backend.outbox();
        place.keyed("m");
        List<Settlement> sent = sentOf(outbox.claim("m", LEASE, 10).entries());

        place.beforeItsCommit(backend -> backend.outbox().settle("m", sent), () -> {
            place.keyed("m");
            OutboxStore.Claimed claimed = outbox.claim("m", LEASE, 1);
            assertThat(claimed.entries()).isEmpty();
            assertThat(claimed.more())
                    .as("to look again at once would find the same")
                    .isFalse();
        });

        assertThat(outbox.claim("m", LEASE, 10).entries()).hasSize(1);
        place.close();
    }

    private static List<Settlement> sentOf(List<OutboxEntry> entries) {
        assertThat(entries).isNotEmpty();
        return entries.stream()
                .<Settlement>map(entry -> new Settlement.Sent(entry, false))
                .toList();
    }

    private static int claim(JdbcBackend backend, String service) {
        return backend.transactions()
                .claim(new Claim(service, "recovery", LEASE, 10))
                .size();
    }

    private static void enqueue(Place place, String outbox, int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            Message plain = Message.of("target", "paid/1", "");
            Message message = i == 0 ? plain : plain.withKey("account");
            place.committed(connection -> place.backend.outbox().insert(connection, outbox, List.of(message)));
        }
    }

    /** A database with the tables, and a pool whose connections have an isolation level. */
    private static final class Place implements AutoCloseable {
        private final SqlAddress address;
        private final int isolation;
        final JdbcBackend backend;

        Place(SqlAddress address, int isolation) {
            this.address = address;
            this.isolation = isolation;
            this.backend = TwoBackends.connect(address);
            backend.transactions().now(); // makes the tables
        }

        private Connection connect() throws SQLException {
            Connection connection = address.connect();
            connection.setTransactionIsolation(isolation);
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        !address.url().startsWith("jdbc:postgresql:")
                                ? "SET innodb_lock_wait_timeout = " + SECONDS_MAX
                                : "SET lock_timeout = '" + SECONDS_MAX + "s'");
            }
            return connection;
        }

        private interface Work {
            void on(Connection connection) throws SQLException;
        }

        void committed(Work work) throws SQLException {
            try (Connection connection = connect()) {
                connection.setAutoCommit(false);
                work.on(connection);
                connection.commit();
            }
        }

        void begin(String service) throws SQLException {
            BranchRecord branch = BranchRecord.planned("one", Map.of(), "");
            TransactionDraft draft = new TransactionDraft(
                    new TransactionId(UUID.randomUUID().toString()),
                    TransactionKind.SAGA,
                    service,
                    "",
                    "",
                    Optional.empty(),
                    TransactionState.ACTIVE,
                    LEASE,
                    RetryPolicy.FOR_EVER,
                    List.of(branch));
            committed(connection -> assertThat(
                            backend.transactions().begin(connection, draft, Optional.empty(), Duration.ZERO))
                    .isInstanceOf(Begun.Created.class));
        }

        void keyed(String outbox) throws SQLException {
            Message message = Message.of("target", "paid/1", "").withKey("account");
            committed(connection -> backend.outbox().insert(connection, outbox, List.of(message)));
        }

        /** Until a transaction waits for another one. */
        void awaitSomebodyWaits() throws SQLException {
            String waiting = !address.url().startsWith("jdbc:postgresql:")
                    ? "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                    : "SELECT COUNT(*) FROM pg_locks WHERE NOT granted";
            try (Connection connection = address.connect();
                    Statement statement = connection.createStatement()) {
                Awaitility.await().atMost(Duration.ofSeconds(SECONDS_MAX)).until(() -> {
                    try (ResultSet row = statement.executeQuery(waiting)) {
                        row.next();
                        return row.getInt(1) > 0;
                    }
                });
            }
        }

        private interface Meanwhile {
            void run() throws SQLException;
        }

        /** Does something just before the first commit of a call. */
        <T> T beforeItsCommit(Function<JdbcBackend, T> call, Meanwhile meanwhile) {
            AtomicBoolean first = new AtomicBoolean(true);
            try (JdbcBackend claiming = JdbcBackend.over(pool(() -> {
                if (first.getAndSet(false)) {
                    meanwhile.run();
                }
            }))) {
                T answer = call.apply(claiming);
                assertThat(first).as("there was no commit").isFalse();
                return answer;
            }
        }

        private DataSource pool(Meanwhile beforeCommit) {
            return (DataSource) Proxy.newProxyInstance(
                    ClaimTest.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (self, method, args) -> stopping(connect(), beforeCommit));
        }

        private Connection stopping(Connection real, Meanwhile beforeCommit) {
            return (Connection) Proxy.newProxyInstance(
                    ClaimTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                        boolean on = method.getName().equals("setAutoCommit") && Boolean.TRUE.equals(args[0]);
                        if (on && !real.getAutoCommit() || method.getName().equals("commit")) {
                            beforeCommit.run();
                        }
                        if (method.getName().equals("close")) {
                            assertThat(real.getTransactionIsolation()).isEqualTo(isolation);
                        }
                        try {
                            return method.invoke(real, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public void close() {
            backend.close();
        }
    }
}
