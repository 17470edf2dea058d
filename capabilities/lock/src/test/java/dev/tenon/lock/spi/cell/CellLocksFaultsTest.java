package dev.tenon.lock.spi.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
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
class CellLocksFaultsTest {
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
        MemoryCells cells = new MemoryCells(tellsState);
        List<Store> stores = new ArrayList<>();
        List<Locks> processes = new ArrayList<>();
        for (int p = 0; p < PROCESSES; p++) {
            Store store = new Store(cells, threads);
            Random random = new Random(p);
            store.line.fate = () -> {
                int dice = random.nextInt(20);
                return dice < 2 ? 1 : dice < 4 ? 2 : 0;
            };
            stores.add(store);
            processes.add(Locks.over(store));
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
        stores.forEach(store -> store.line.fate = () -> 0);
        await().atMost(PATIENCE).until(() -> processes.get(0).inspect("a").isEmpty() && cells.size() == 0);
        processes.forEach(Locks::close);
        stores.forEach(Store::close);
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
        MemoryCells cells = new MemoryCells(true);
        Store store = new Store(cells, threads);
        store.open(new SessionSpec("s", "s", PATIENCE), new NoEvents())
                .toCompletableFuture()
                .join();
        List<CompletionStage<Outcome>> asked = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            asked.add(store.acquire(new Acquire("a", "s", "r" + i, "s", Optional.of(PATIENCE), PATIENCE)));
        }
        int granted = 0;
        for (CompletionStage<Outcome> each : asked) {
            Outcome outcome = each.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            granted += outcome instanceof Outcome.Granted ? 1 : 0;
        }
        assertThat(granted).isEqualTo(1);
        assertThat(store.inspect("a").toCompletableFuture().join().orElseThrow().queue())
                .hasSize(99);
        store.close();
        assertThat(cells.size()).isZero();
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

    /** A backend's store, as thin as they are. */
    private static final class Store implements MultiLockStore {
        private final MemoryCells.Line line;
        private final CellLocks locks;

        Store(MemoryCells cells, ExecutorService threads) {
            this.line = cells.line();
            this.locks = new CellLocks(line, threads, TimeSource.system(), CellLocks.PRESENCE);
        }

        @Override
        public StoreTraits traits() {
            return new StoreTraits(
                    StoreTraits.TokenSource.LOG_INDEX, StoreTraits.Push.PUSHED, false, false, Duration.ofMillis(1));
        }

        @Override
        public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
            return locks.open(spec, events);
        }

        @Override
        public CompletionStage<Boolean> keepAlive(String sessionId) {
            return locks.keepAlive(sessionId);
        }

        @Override
        public CompletionStage<Void> closeSession(String sessionId) {
            return locks.closeSession(sessionId);
        }

        @Override
        public CompletionStage<Outcome> acquire(Acquire request) {
            return locks.acquire(request);
        }

        @Override
        public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
            return locks.acquireAll(requests);
        }

        @Override
        public CompletionStage<List<Released>> release(List<Release> releases) {
            return locks.release(releases);
        }

        @Override
        public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
            return locks.renew(renewals);
        }

        @Override
        public CompletionStage<Cancelled> cancel(Cancel request) {
            return locks.cancel(request);
        }

        @Override
        public CompletionStage<Optional<LockView>> inspect(String name) {
            return locks.inspect(name);
        }

        @Override
        public CompletionStage<LockPage> list(String prefix, String after, int limit) {
            return locks.list(prefix, after, limit);
        }

        @Override
        public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
            return locks.evict(name, expectedToken);
        }

        @Override
        public CompletionStage<Integer> revoke(String name, String by) {
            return locks.revoke(name, by);
        }

        @Override
        public void close() {
            locks.close();
        }
    }
}
