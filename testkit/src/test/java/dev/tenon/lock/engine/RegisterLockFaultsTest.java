package dev.tenon.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads of several processes at one lock, while writes fail and answers are lost at random. */
class RegisterLockFaultsTest {
    private static final int PROCESSES = 3;
    private static final int TURNS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everybodyGetsItsTurnsWithATokenOfItsOwnAndNothingIsLeft(boolean tellsState) throws Exception {
        MemoryRegisters registers = new MemoryRegisters(tellsState);
        List<Store> stores = new ArrayList<>();
        List<Locks> processes = new ArrayList<>();
        for (int p = 0; p < PROCESSES; p++) {
            Store store = new Store(registers, threads);
            Random random = new Random(p);
            store.registers.fate = () -> {
                int dice = random.nextInt(20);
                return dice < 2 ? 1 : dice < 4 ? 2 : 0;
            };
            stores.add(store);
            processes.add(Locks.over(store.locks));
        }
        AtomicLong last = new AtomicLong();
        List<Future<Integer>> runs = new CopyOnWriteArrayList<>();
        for (int t = 0; t < 2 * PROCESSES; t++) {
            Locks locks = processes.get(t % PROCESSES);
            runs.add(threads.submit(() -> turns(locks, last)));
        }
        runs.add(threads.submit(() -> passes(stores, runs)));
        for (Future<Integer> run : List.copyOf(runs)) {
            assertThat(run.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(TURNS);
        }
        stores.forEach(store -> store.registers.fate = () -> 0);
        await().atMost(PATIENCE).until(() -> processes.get(0).inspect("a").isEmpty() && registers.size() == 0);
        processes.forEach(Locks::close);
        stores.forEach(store -> store.locks.close());
        threads.shutdownNow();
    }

    /** What a backend does once a second, more often. */
    private static int passes(List<Store> stores, List<Future<Integer>> until) {
        while (until.stream().limit(2L * PROCESSES).anyMatch(run -> !run.isDone())) {
            for (Store store : stores) {
                try {
                    store.locks.runOnce();
                } catch (TenonException e) {
                    // The next pass does what this one could not.
                }
            }
            TimeSource.system().park(Duration.ofMillis(20));
        }
        return TURNS;
    }

    /** What a guarded resource sees: each token at most once, whatever became of the answers. */
    private static int turns(Locks locks, AtomicLong last) throws InterruptedException {
        LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMillis(200));
        int turns = 0;
        while (turns < TURNS) {
            Lease lease = locks.lock("a", options).acquire(PATIENCE);
            long token = lease.token();
            long before = last.getAndAccumulate(token, Math::max);
            assertThat(before).as("the token before").isNotEqualTo(token);
            turns++;
            lease.close();
        }
        return turns;
    }

    @Test
    void manyThreadsOfOneProcessAreNotInEachOthersWayForEver() throws Exception {
        MemoryRegisters registers = new MemoryRegisters(true);
        Store store = new Store(registers, threads);
        store.locks
                .open(new SessionSpec("s", "s", PATIENCE), new NoEvents())
                .toCompletableFuture()
                .join();
        List<CompletionStage<Outcome>> asked = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            asked.add(store.locks.acquire(new Acquire("a", "s", "r" + i, "s", Optional.of(PATIENCE), PATIENCE)));
        }
        int granted = 0;
        for (CompletionStage<Outcome> each : asked) {
            Outcome outcome = each.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            granted += outcome instanceof Outcome.Granted ? 1 : 0;
        }
        assertThat(granted).isEqualTo(1);
        assertThat(store.locks
                        .inspect("a")
                        .toCompletableFuture()
                        .join()
                        .orElseThrow()
                        .queue())
                .hasSize(99);
        store.locks.close();
        assertThat(registers.size()).isZero();
        threads.shutdownNow();
    }

    private static final class NoEvents implements StoreEvents {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void revokeAsked(Revocation revocation) {}

        @Override
        public void sessionLost(String sessionId) {}

        @Override
        public void resync() {}
    }

    private record Store(MemoryRegisters.Process registers, RegisterLockStore locks) {
        Store(MemoryRegisters registers, ExecutorService threads) {
            this(registers.process(), threads);
        }

        private Store(MemoryRegisters.Process process, ExecutorService threads) {
            this(process, RegisterLockStore.on(process, threads, TimeSource.system()));
        }
    }
}
