package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No hand-over between processes goes unheard, however many of them come at once. */
class BellTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    /** A ring that was lost would be made up for after five seconds at the earliest. */
    private static final Duration HEARD_WITHIN = Duration.ofSeconds(4);
    /** A database that is later than that spoils what {@link #HEARD_WITHIN} tells apart. */
    private static final Duration IN_TIME = Duration.ofSeconds(1);

    private static final int NAMES = 6;
    private static final int HANDOVERS = 100;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    private record Side(LockStore store, String session, RecordedEvents events) {}

    @ParameterizedTest
    @MethodSource("databases")
    void everyHandOverIsHeard(Supplier<SqlAddress> database) throws Exception {
        try (TwoBackends backends = TwoBackends.on(database.get())) {
            Side one = side(backends.one());
            Side other = side(backends.other());
            inTime(backends.one(), () -> pingPongs(one, other));
        }
    }

    private static void pingPongs(Side one, Side other) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(NAMES);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < NAMES; i++) {
                runs.add(threads.submit(() -> pingPong(one, other)));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Tries again what failed while the database was late. */
    private static void inTime(JdbcBackend backend, Punctual.Attempt attempt) throws Exception {
        Punctual.judge(IN_TIME, () -> join(backend.lockStore().inspect("punctual")), attempt);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void readersOfSeveralProcessesHearOfOneHandOver(Supplier<SqlAddress> database) throws Exception {
        SqlAddress address = database.get();
        try (TwoBackends backends = TwoBackends.on(address);
                JdbcBackend third = TwoBackends.connect(address)) {
            Side writer = side(backends.one());
            List<Side> readers = List.of(side(backends.other()), side(third));
            inTime(backends.one(), () -> handOverToAll(writer, readers));
        }
    }

    private static void handOverToAll(Side writer, List<Side> readers) {
        String name = UUID.randomUUID().toString();
        for (int i = 0; i < 20; i++) {
            long token = ((Outcome.Granted) join(writer.store().acquire(request(name, writer)))).token();
            List<Acquire> waiting = readers.stream()
                    .map(reader -> request(name, reader, Terms.of(LockMode.SHARED)))
                    .toList();
            for (int r = 0; r < readers.size(); r++) {
                assertThat(join(readers.get(r).store().acquire(waiting.get(r)))).isInstanceOf(Outcome.Queued.class);
            }
            assertThat(join(writer.store().release(List.of(new Release(name, token)))))
                    .containsExactly(Released.HANDED_OVER);
            for (int r = 0; r < readers.size(); r++) {
                Side reader = readers.get(r);
                long read = reader.events()
                        .awaitGrantOf(waiting.get(r).requestId(), HEARD_WITHIN)
                        .token();
                assertThat(join(reader.store().release(List.of(new Release(name, read)))))
                        .containsExactly(Released.FREED);
            }
        }
    }

    @Test
    void onPostgresAHolderInAnotherProcessIsAskedAtOnce() throws Exception {
        try (TwoBackends backends = TwoBackends.onPostgres()) {
            inTime(backends.one(), () -> {
                Side holder = side(backends.one());
                String name = UUID.randomUUID().toString();
                long token = ((Outcome.Granted) join(holder.store().acquire(request(name, holder)))).token();
                assertThat(join(side(backends.other()).store().revoke(name, "operator")))
                        .isEqualTo(1);
                await().atMost(HEARD_WITHIN)
                        .untilAsserted(() -> assertThat(holder.events().revocations())
                                .containsExactly(new Revocation(name, holder.session(), token, "operator")));
            });
        }
    }

    @Test
    void aHolderOfTheSameProcessIsAskedAtOnce() {
        try (TwoBackends backends = TwoBackends.onH2()) {
            Side holder = side(backends.one());
            String name = UUID.randomUUID().toString();
            long token = ((Outcome.Granted) join(holder.store().acquire(request(name, holder)))).token();
            join(holder.store().revoke(name, "operator"));
            assertThat(holder.events().revocations())
                    .containsExactly(new Revocation(name, holder.session(), token, "operator"));
        }
    }

    private static void pingPong(Side one, Side other) {
        String name = UUID.randomUUID().toString();
        Side holder = one;
        Side waiter = other;
        long token = ((Outcome.Granted) join(holder.store().acquire(request(name, holder)))).token();
        for (int i = 0; i < HANDOVERS; i++) {
            Acquire waiting = request(name, waiter);
            assertThat(join(waiter.store().acquire(waiting))).isInstanceOf(Outcome.Queued.class);
            assertThat(join(holder.store().release(List.of(new Release(name, token)))))
                    .containsExactly(Released.HANDED_OVER);
            long next = waiter.events()
                    .awaitGrantOf(waiting.requestId(), HEARD_WITHIN)
                    .token();
            assertThat(next).isGreaterThan(token);
            token = next;
            Side before = holder;
            holder = waiter;
            waiter = before;
        }
    }

    private static Side side(JdbcBackend backend) {
        RecordedEvents events = new RecordedEvents();
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "owner", Duration.ofMinutes(5));
        return new Side(
                backend.lockStore(),
                join(backend.lockStore().open(spec, events)).id(),
                events);
    }

    private static Acquire request(String name, Side side) {
        return request(name, side, Terms.EXCLUSIVE);
    }

    private static Acquire request(String name, Side side, Terms terms) {
        return new Acquire(
                name,
                side.session(),
                UUID.randomUUID().toString(),
                "owner",
                Optional.of(LEASE),
                Duration.ofMinutes(5),
                terms);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
