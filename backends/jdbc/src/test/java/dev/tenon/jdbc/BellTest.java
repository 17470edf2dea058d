package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No hand-over between processes goes unheard, however many of them come at once. */
class BellTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    /** A ring that was lost would be made up for after five seconds at the earliest. */
    private static final Duration HEARD_WITHIN = Duration.ofSeconds(4);

    private static final int NAMES = 6;
    private static final int HANDOVERS = 100;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(Named.of("MariaDB", MariaDbServer::shared), Named.of("PostgreSQL", PostgresServer::shared));
    }

    private record Side(LockStore store, String session, RecordedEvents events) {}

    @ParameterizedTest
    @MethodSource("databases")
    void everyHandOverIsHeard(Supplier<SqlAddress> database) throws Exception {
        try (TwoBackends backends = TwoBackends.on(database.get())) {
            Side one = side(backends.one());
            Side other = side(backends.other());
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
        return new Acquire(
                name, side.session(), UUID.randomUUID().toString(), "owner", Optional.of(LEASE), Duration.ofMinutes(5));
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
