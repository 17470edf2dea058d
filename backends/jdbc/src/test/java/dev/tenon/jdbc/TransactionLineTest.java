package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RoundTrips;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.LocalTransactionStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The log of transactions over a line: how often a call crosses it, and what is known when it breaks. */
class TransactionLineTest {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int TIMES = 10;
    private static final int CLAIMS = 20;
    private static final long CLAIM_TRIPS_MAX = 6;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aCallIsOneRoundTrip(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            Deque<TransactionRecord> begun = new ArrayDeque<>();
            assertEach(line, 1, "begin with 50 branches", () -> begun.add(begin(line.store, draft(50))));
            TransactionEvent event = new TransactionEvent(Instant.EPOCH, "x", "y", "z");
            assertEach(line, 1, "write of all branches", () -> {
                TransactionRecord tx = begun.remove();
                TransactionRecord after = tx.withBranches(tx.branches().stream()
                        .map(b -> b.called(BranchState.CALLED))
                        .toList());
                begun.add(line.store.update(tx, after, List.of(event)).orElseThrow());
            });
            assertEach(
                    line,
                    1,
                    "find",
                    () -> assertThat(line.store.find(begun.getFirst().gid())).isPresent());
            assertEach(
                    line,
                    1,
                    "history",
                    () -> assertThat(line.store.history(begun.getFirst().gid())).hasSize(1));
            assertEach(line, 1, "the end", () -> {
                TransactionRecord tx = begun.remove();
                assertThat(line.store.update(tx, tx.in(TransactionState.COMMITTED), List.of()))
                        .isPresent();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aCallWithinALocalTransactionIsOneRoundTrip(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get());
                Connection connection = line.throughProxy.connect()) {
            connection.setAutoCommit(false);
            Deque<TransactionRecord> begun = new ArrayDeque<>();
            assertEach(
                    line,
                    1,
                    "begin",
                    () -> begun.add(line.store
                            .begin(connection, draft(3), Optional.empty(), LEASE)
                            .transaction()));
            assertEach(line, 1, "decision", () -> {
                TransactionRecord tx = begun.remove();
                assertThat(line.store.update(connection, tx, tx.in(TransactionState.COMMITTING), List.of()))
                        .isPresent();
            });
            assertEach(line, 1, "a call through the barrier", () -> {
                BranchCall call = new BranchCall(newId(), "b", Operation.TRY, "t", "", Map.of(), 1);
                assertThat(line.backend.barrier().call(connection, call, c -> Reply.done()))
                        .isEqualTo(Reply.done());
            });
            connection.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aClaimTakesAsManyRoundTripsForManyAsForOne(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            assertEach(
                    line,
                    1,
                    "a claim of nothing",
                    () -> assertThat(claim(line, 50)).isEmpty());
            for (int count : new int[] {1, 50}) {
                begin(line, count);
                claim(line, count);
                long least = Long.MAX_VALUE;
                // One that was tried again took more, as does one whose answers begin before all of it is sent.
                for (int i = 0; i < CLAIMS && least > CLAIM_TRIPS_MAX; i++) {
                    begin(line, count);
                    long before = line.proxy.exchanges();
                    assertThat(claim(line, count))
                            .hasSize(count)
                            .allMatch(tx -> tx.branches().size() == 3);
                    least = Math.min(least, line.proxy.exchanges() - before);
                }
                assertThat(least).as("claim of %d", count).isBetween(1L, CLAIM_TRIPS_MAX);
            }
        }
    }

    private static void begin(Line line, int count) {
        for (int i = 0; i < count; i++) {
            line.direct.begin(draft(3), Optional.empty(), Duration.ZERO);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aWriteWhoseAnswerIsLostIsFoundToBeDone(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            TransactionDraft draft = draft(3);
            line.proxy.dropReplies();
            Future<Begun> begin =
                    CompletableFuture.supplyAsync(() -> line.store.begin(draft, Optional.of("me"), LEASE));
            await().atMost(PATIENCE).until(() -> line.direct.find(draft.gid()).isPresent());
            line.proxy.heal();
            TransactionRecord tx = line.direct.find(draft.gid()).orElseThrow();
            assertThat(begin.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Begun.Created(tx));

            line.proxy.dropReplies();
            Future<Optional<TransactionRecord>> end = CompletableFuture.supplyAsync(
                    () -> line.store.update(tx, tx.in(TransactionState.COMMITTED), List.of()));
            await().atMost(PATIENCE)
                    .until(() -> line.direct.find(draft.gid()).orElseThrow().state() == TransactionState.COMMITTED);
            line.proxy.heal();
            assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(line.direct.find(draft.gid()));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aWriteWhoseAnswerIsLostAndThatIsWrittenOverIsUnknown(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            TransactionRecord tx = begin(line.direct, draft(3));
            assertThat(line.store.find(tx.gid())).isPresent();
            line.proxy.dropReplies();
            Future<Optional<TransactionRecord>> lost = CompletableFuture.supplyAsync(
                    () -> line.store.update(tx, tx.in(TransactionState.COMMITTING), List.of()));
            TransactionRecord decided = await().atMost(PATIENCE)
                    .until(
                            () -> line.direct.find(tx.gid()).orElseThrow(),
                            found -> found.state() == TransactionState.COMMITTING);
            assertThat(line.direct.update(decided, decided.in(TransactionState.COMMITTED), List.of()))
                    .isPresent();
            line.proxy.heal();
            assertThatThrownBy(() -> lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(OutcomeUnknownException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whereThereIsNoLineNothingBegins(Supplier<SqlAddress> database) {
        try (Line line = new Line(database.get())) {
            TransactionRecord tx = begin(line.store, draft(1));
            line.proxy.cut();
            assertThat(line.store.find(tx.gid())).contains(tx);
            line.proxy.refuseNew();
            line.proxy.cut();
            TransactionDraft draft = draft(1);
            assertThatThrownBy(() -> line.store.begin(draft, Optional.empty(), LEASE))
                    .isInstanceOfAny(OutcomeUnknownException.class, BackendUnavailableException.class);
            assertThat(line.direct.find(draft.gid())).isEmpty();
            line.proxy.heal();
            assertThat(line.store.find(tx.gid())).contains(tx);
        }
    }

    private static TransactionId newId() {
        return new TransactionId(UUID.randomUUID().toString());
    }

    private static TransactionDraft draft(int branches) {
        return new TransactionDraft(
                newId(),
                TransactionKind.SAGA,
                "service",
                "order/1",
                "{}",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                IntStream.range(0, branches)
                        .mapToObj(i -> BranchRecord.planned("b" + i, Map.of(Operation.ACTION, "do"), "payload"))
                        .toList());
    }

    private static TransactionRecord begin(LocalTransactionStore store, TransactionDraft draft) {
        Begun begun = store.begin(draft, Optional.empty(), LEASE);
        assertThat(begun).isInstanceOf(Begun.Created.class);
        return begun.transaction();
    }

    private static List<TransactionRecord> claim(Line line, int limit) {
        return line.store.claim(new Claim("service", "me", LEASE, limit));
    }

    private static void assertEach(Line line, long each, String what, RoundTrips.Action action) throws Exception {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TIMES; i++) { // the first ones connect, and prepare the statements
            long before = line.proxy.exchanges();
            action.run();
            least = Math.min(least, line.proxy.exchanges() - before);
        }
        assertThat(least).as(what).isEqualTo(each);
    }

    /** A log behind a line, and the same one without. */
    private static final class Line implements AutoCloseable {
        private final FaultProxy proxy;
        private final SqlAddress throughProxy;
        private final JdbcBackend backend;
        private final JdbcBackend other;
        private final LocalTransactionStore store;
        private final LocalTransactionStore direct;

        Line(SqlAddress at) {
            this.proxy = FaultProxy.to(at.socket());
            this.throughProxy = at.at(proxy.address());
            this.backend = TwoBackends.connect(throughProxy);
            this.other = TwoBackends.connect(at);
            this.store = backend.transactions();
            this.direct = other.transactions();
        }

        @Override
        public void close() {
            backend.close();
            other.close();
            proxy.close();
        }
    }
}
