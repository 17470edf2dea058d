package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two processes that take overlapping sets of new locks, named in any order, at the same time. */
class MultiLockRaceTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int NAMES = 5;
    private static final int THREADS = 4;
    private static final int ROUNDS = 60;

    static Stream<Named<Supplier<TwoBackends>>> databases() {
        return Stream.of(
                Named.of("H2", TwoBackends::onH2),
                Named.of("MariaDB", TwoBackends::onMariaDb),
                Named.of("MySQL", TwoBackends::onMySql),
                Named.of("PostgreSQL", TwoBackends::onPostgres));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void nobodyGetsSomeOfThem(Supplier<TwoBackends> start) throws Exception {
        try (TwoBackends backends = start.get()) {
            String run = UUID.randomUUID().toString();
            join(backends.one().lockStore().list(run, "", 1)); // makes the tables, which is no part of the race
            AtomicIntegerArray holders = new AtomicIntegerArray(NAMES);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try {
                List<Future<Integer>> runs = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    JdbcBackend backend = t % 2 == 0 ? backends.one() : backends.other();
                    long seed = t;
                    runs.add(threads.submit(() -> take(backend.lockStore(), run, new Random(seed), holders)));
                }
                int taken = 0;
                for (Future<Integer> each : runs) {
                    taken += each.get();
                }
                assertThat(taken).as("rounds in which somebody got them all").isPositive();
            } finally {
                threads.shutdownNow();
            }
            assertThat(join(backends.one().lockStore().list(run, "", 100)).locks())
                    .isEmpty();
        }
    }

    private static int take(MultiLockStore store, String run, Random random, AtomicIntegerArray holders) {
        String session = join(store.open(
                        new SessionSpec(UUID.randomUUID().toString(), "owner", LEASE), new RecordedEvents()))
                .id();
        int taken = 0;
        for (int i = 0; i < ROUNDS; i++) {
            List<Integer> numbers = new ArrayList<>();
            for (int n = 0; n < NAMES; n++) {
                numbers.add(n);
            }
            Collections.shuffle(numbers, random);
            List<Integer> some = numbers.subList(0, 2 + random.nextInt(NAMES - 1));
            Terms terms = random.nextBoolean() ? Terms.EXCLUSIVE : Terms.of(LockMode.UPDATE);
            List<Acquire> requests = some.stream()
                    .map(n -> new Acquire(
                            run + n,
                            session,
                            UUID.randomUUID().toString(),
                            "owner",
                            Optional.of(LEASE),
                            Duration.ZERO,
                            terms))
                    .toList();
            List<Outcome> outcomes = join(store.acquireAll(requests));
            if (outcomes.size() < some.size()) {
                assertThat(outcomes).singleElement().isInstanceOf(Outcome.Busy.class);
                continue;
            }
            taken++;
            some.forEach(n -> assertThat(holders.incrementAndGet(n)).isEqualTo(1));
            some.forEach(holders::decrementAndGet);
            List<Release> releases = new ArrayList<>();
            for (int k = 0; k < some.size(); k++) {
                releases.add(new Release(requests.get(k).name(), ((Outcome.Granted) outcomes.get(k)).token()));
            }
            join(store.release(releases));
        }
        return taken;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
