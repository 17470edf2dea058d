package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The line to the database cut and refused, as sequences have it too; the database killed and started again. What locks
 * must bear beyond that, lost replies above all, is in {@link dev.tenon.testkit.faults.LockFaultsContract}.
 */
class FaultsTest {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private record Server(TestServer server, SqlAddress address) {}

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    static Stream<Named<Supplier<Server>>> servers() {
        return Stream.of(
                Named.of("MariaDB", () -> {
                    MariaDbServer server = MariaDbServer.start();
                    return new Server(server, server.address().newDatabase());
                }),
                Named.of("MySQL", () -> {
                    MySqlServer server = MySqlServer.start();
                    return new Server(server, server.address().newDatabase());
                }),
                Named.of("PostgreSQL", () -> {
                    PostgresServer server = PostgresServer.start();
                    return new Server(server, server.address().newDatabase());
                }));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aLineThatWasCutWhileNobodyUsedItCostsNothing(Supplier<SqlAddress> database) {
        try (Line line = new Line(database.get())) {
            Release held = granted(line.store(), request(line.session, LEASE, Duration.ZERO));
            assertThat(line.backend.ranges().next("n", 5).last()).isEqualTo(5);
            line.proxy.cut();
            assertThat(join(line.store().renew(List.of(new Renew(held.name(), held.token(), Optional.of(LEASE))))))
                    .containsExactly(new Renewed.Extended(LEASE));
            line.proxy.cut();
            assertThat(line.backend.ranges().next("n", 1).first()).isGreaterThan(5);
            line.proxy.cut();
            assertThat(join(line.store().release(List.of(held)))).containsExactly(Released.FREED);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whereThereIsNoLineNothingHappens(Supplier<SqlAddress> database) {
        try (Line line = new Line(database.get())) {
            line.proxy.refuseNew();
            line.proxy.cut();
            assertThatThrownBy(() -> {
                        line.backend.ranges().next("n", 1);
                        line.backend.ranges().next("n", 1);
                    })
                    .isInstanceOfAny(OutcomeUnknownException.class, BackendUnavailableException.class);
            assertThatThrownBy(() -> join(line.store().acquire(request(line.session, LEASE, Duration.ZERO))))
                    .hasCauseInstanceOf(BackendUnavailableException.class);
            line.proxy.heal();
            assertThat(line.backend.ranges().next("n", 1).first()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aWaiterWhoseLineIsCutIsTold(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get());
                JdbcBackend slow = TwoBackends.connect(line.throughProxy)) {
            String name = UUID.randomUUID().toString();
            Lease held = line.direct.locks().lock(name).acquire(PATIENCE);
            var waiting = slow.locks().lock(name).acquireAsync(PATIENCE).toCompletableFuture();
            await().atMost(PATIENCE)
                    .until(() -> line.direct
                                    .locks()
                                    .inspect(name)
                                    .orElseThrow()
                                    .queue()
                                    .size()
                            == 1);
            line.proxy.cut();
            held.close();
            try (Lease next = waiting.get()) {
                assertThat(next.token()).isGreaterThan(held.token());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void locksAndNumbersSurviveAKillOfTheServer(Supplier<Server> start) {
        Server started = start.get();
        try (TestServer server = started.server();
                JdbcBackend backend = TwoBackends.connect(started.address())) {
            RecordedEvents events = new RecordedEvents();
            String session = open(backend.lockStore(), events);
            Acquire request = request(session, LEASE, Duration.ZERO);
            Release held = granted(backend.lockStore(), request);
            Acquire waiting = new Acquire(
                    request.name(), session, UUID.randomUUID().toString(), "waiter", Optional.of(LEASE), LEASE);
            join(backend.lockStore().acquire(waiting));
            long last = backend.ranges().next("n", 100).last();

            server.kill();
            assertThatThrownBy(() -> {
                        backend.ranges().next("n", 1);
                    })
                    .isInstanceOfAny(OutcomeUnknownException.class, BackendUnavailableException.class);
            assertThatThrownBy(() -> backend.ranges().next("n", 1)).isInstanceOf(BackendUnavailableException.class);
            server.restart();

            assertThat(backend.ranges().next("n", 1).first()).isGreaterThan(last);
            assertThat(join(backend.lockStore().inspect(request.name()))
                            .orElseThrow()
                            .isHeldUnder(held.token()))
                    .isTrue();
            assertThat(join(backend.lockStore().release(List.of(held)))).containsExactly(Released.HANDED_OVER);
            assertThat(events.awaitGrantOf(waiting.requestId(), PATIENCE).token())
                    .isGreaterThan(held.token());
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void afterARestartTheBellRingsAgain(Supplier<Server> start) {
        Server started = start.get();
        try (TestServer server = started.server();
                TwoBackends backends = TwoBackends.on(started.address())) {
            RecordedEvents events = new RecordedEvents();
            String holder = open(backends.one().lockStore(), new RecordedEvents());
            String waiter = open(backends.other().lockStore(), events);
            server.kill();
            server.restart();
            // Until the bell is back a waiter is told to ask again soon; from then on, only when the lease may be over.
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
                Acquire held = request(holder, LEASE, Duration.ZERO);
                Release release = granted(backends.one().lockStore(), held);
                Acquire waiting = new Acquire(
                        held.name(), waiter, UUID.randomUUID().toString(), "waiter", Optional.of(LEASE), LEASE);
                Outcome.Queued queued =
                        (Outcome.Queued) join(backends.other().lockStore().acquire(waiting));
                assertThat(queued.recheckAfter()).isGreaterThan(Duration.ofSeconds(30));
                join(backends.one().lockStore().release(List.of(release)));
                events.awaitGrantOf(waiting.requestId(), Duration.ofSeconds(5));
            });
        }
    }

    /** A backend behind a line that can fail, and one beside it. */
    private static final class Line implements AutoCloseable {
        private final FaultProxy proxy;
        private final SqlAddress throughProxy;
        private final JdbcBackend backend;
        private final JdbcBackend direct;
        private final String session;

        Line(SqlAddress at) {
            this.direct = TwoBackends.connect(at);
            this.proxy = FaultProxy.to(at.socket());
            this.throughProxy = at.at(proxy.address());
            this.backend = TwoBackends.connect(throughProxy);
            this.session = open(backend.lockStore(), new RecordedEvents());
        }

        LockStore store() {
            return backend.lockStore();
        }

        @Override
        public void close() {
            backend.close();
            proxy.close();
            direct.close();
        }
    }

    private static Acquire request(String session, Duration lease, Duration wait) {
        String name = UUID.randomUUID().toString();
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(lease), wait);
    }

    private static Release granted(LockStore store, Acquire request) {
        Outcome outcome = join(store.acquire(request));
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return new Release(request.name(), ((Outcome.Granted) outcome).token());
    }

    private static String open(LockStore store, RecordedEvents events) {
        String id = UUID.randomUUID().toString();
        return join(store.open(new SessionSpec(id, "owner", Duration.ofMinutes(5)), events))
                .id();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
