package dev.tenon.sharded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisOptions;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes join and leave while locks are held and waited for, in two processes which are not told at the same time. */
class ShardedChangeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration BRIEF = Duration.ofMillis(100);

    private final Map<String, MemoryBackend> backends = new HashMap<>();
    private final List<ShardedLocks> processes = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        processes.forEach(ShardedLocks::close);
        backends.values().forEach(MemoryBackend::close);
    }

    @Test
    void onlyNamesThatTheNewNodeTakesMove() {
        ShardedLocks process = process();
        List<String> names = IntStream.range(0, 2000).mapToObj(i -> "name:" + i).toList();
        Map<String, String> before = new HashMap<>();
        names.forEach(name -> before.put(name, process.nodeOf(name)));
        assertThat(new ArrayList<>(before.values())).contains("a", "b", "c");

        join(process);
        names.forEach(name -> assertThat(process.nodeOf(name)).isEqualTo(before.get(name)));
        process.settle();
        List<String> moved = names.stream()
                .filter(name -> !process.nodeOf(name).equals(before.get(name)))
                .toList();
        assertThat(moved)
                .hasSizeBetween(300, 700)
                .allMatch(name -> process.nodeOf(name).equals("d"));
        assertThat(process.nodes()).containsExactlyInAnyOrder("a", "b", "c", "d");
    }

    @Test
    void aNameThatIsHeldWhileItMovesHasOneHolder() throws Exception {
        ShardedLocks first = process();
        ShardedLocks second = process();
        String name = movingTo("d");
        Lease held = first.locks().lock(name).acquire(PATIENCE);
        assertThat(join(second)).isDone();
        assertNotGranted(second, name); // one knows of the change, the holder does not
        CompletableFuture<Void> drained = join(first);
        assertNotGranted(second, name);
        assertThat(drained).isNotDone();
        assertThatThrownBy(first::settle).isInstanceOf(IllegalStateException.class);
        assertThat(first.locks().validate(name, held.token())).isTrue();

        held.close();
        assertThat(drained).succeedsWithin(PATIENCE);
        assertNotGranted(first, name);
        second.settle();
        try (Lease next = second.locks().lock(name).acquire(PATIENCE)) {
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(backends.get("d").locks().inspect(name)).isPresent();
            assertNotGranted(first, name); // one is done with the change, the other is not
            assertThat(first.locks().validate(name, next.token())).isTrue();
            first.settle();
            assertNotGranted(first, name);
        }
        first.locks().lock(name).tryAcquire().orElseThrow().close();
        backends.values().forEach(b -> assertThat(b.locks().inspect(name)).isEmpty());
    }

    @Test
    void whoWaitsWhileANameMovesGetsItAfterwards() throws Exception {
        ShardedLocks first = process();
        ShardedLocks second = process();
        String name = movingTo("d");
        Lease held = first.locks().lock(name).acquire(PATIENCE);
        Future<Lease> waiter = threads.submit(() -> second.locks().lock(name).acquire(PATIENCE));
        awaitWaiter(first.locks(), name);
        CompletableFuture<Void> ofFirst = join(first);
        CompletableFuture<Void> ofSecond = join(second);
        held.close(); // the old store hands it to the waiter, which gives it back
        assertThat(ofFirst).succeedsWithin(PATIENCE);
        assertThat(ofSecond).succeedsWithin(PATIENCE);
        Future<Lease> late = threads.submit(() -> first.locks().lock(name).acquire(PATIENCE));
        await().atMost(PATIENCE).until(() -> first.locks().inspect(name).isEmpty());
        assertThat(waiter).isNotDone();
        first.settle();
        late.get(30, TimeUnit.SECONDS).close();
        second.settle();
        Lease next = waiter.get(30, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(backends.get("d").locks().inspect(name)).isPresent();
        next.close();
        backends.values().forEach(b -> assertThat(b.locks().inspect(name)).isEmpty());
    }

    @Test
    void whatIsHeldMayBeConvertedWhileItsNameMoves() throws Exception {
        ShardedLocks process = process();
        String name = movingTo("d");
        Lease update = process.locks().readWriteLock(name).updateLock().acquire(PATIENCE);
        CompletableFuture<Void> drained = join(process);
        Lease writer = process.locks().readWriteLock(name).upgrade(update, PATIENCE);
        assertThat(writer.token()).isGreaterThan(update.token());
        assertThat(drained).isNotDone();
        writer.close();
        assertThat(drained).succeedsWithin(PATIENCE);
    }

    @Test
    void aNodeThatLeavesIsNotNeededAnyMore() throws Exception {
        ShardedLocks process = process();
        ShardedLocks other = process();
        String name = livingAt(process, "b");
        Lease held = process.locks().lock(name).acquire(PATIENCE);
        CompletableFuture<Void> drained = process.leave("b").toCompletableFuture();
        assertThat(other.leave("b").toCompletableFuture()).isDone();
        assertThatThrownBy(() -> process.join("x", store("x"))).isInstanceOf(IllegalStateException.class);
        assertThat(drained).isNotDone();
        held.close();
        assertThat(drained).succeedsWithin(PATIENCE);
        process.settle();
        other.settle();
        backends.get("b").close();
        try (Lease next = other.locks().lock(name).acquire(PATIENCE)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
        assertThat(process.locks().list("", "", 10).locks()).isEmpty();
        assertThatThrownBy(() -> process.leave("b")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tokensIncreaseThoughTheClockOfTheNewNodeIsBehind() throws Exception {
        Duration apart = Duration.ofMillis(400);
        ShardedLocks process = ShardedLocks.over(stores("a", "b", "c"), apart.plusMillis(50));
        processes.add(process);
        String name = movingTo("d");
        Lease before = process.locks().lock(name).acquire(PATIENCE);
        before.close();
        backends.put("d", MemoryBackend.on(new Behind(apart)));
        CompletableFuture<Void> drained = join(process);
        assertThat(drained).succeedsWithin(PATIENCE);
        process.settle();
        try (Lease next = process.locks().lock(name).acquire(PATIENCE)) {
            assertThat(next.token()).isGreaterThan(before.token());
        }
    }

    @Test
    void theClocksDifferencePassesBeforeAChangeIsSettled() {
        ShardedLocks process = ShardedLocks.over(stores("a", "b"), Duration.ofMinutes(5));
        processes.add(process);
        assertThat(process.join("d", store("d")).toCompletableFuture()).isNotDone();
        assertThatThrownBy(process::settle).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void nodesComeAndGoUnderLoad() throws Exception {
        List<ShardedLocks> all = List.of(process(), process(), process());
        List<String> names = IntStream.range(0, 12).mapToObj(i -> "busy:" + i).toList();
        Map<String, AtomicBoolean> inside = new ConcurrentHashMap<>();
        Map<String, AtomicLong> tokens = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong acquired = new AtomicLong();
        List<Future<?>> runs = new ArrayList<>();
        for (ShardedLocks process : all) {
            for (int t = 0; t < 2; t++) {
                runs.add(threads.submit(() -> {
                    while (!over.get()) {
                        String name = names.get(ThreadLocalRandom.current().nextInt(names.size()));
                        Optional<Lease> got = process.locks().lock(name).tryAcquire(Duration.ofMillis(20));
                        if (got.isEmpty()) {
                            continue; // it moves just now: others do not
                        }
                        try (Lease lease = got.get()) {
                            AtomicBoolean taken = inside.computeIfAbsent(name, any -> new AtomicBoolean());
                            assertThat(taken.compareAndSet(false, true))
                                    .as(name)
                                    .isTrue();
                            long last = tokens.computeIfAbsent(name, any -> new AtomicLong())
                                    .getAndSet(lease.token());
                            assertThat(lease.token()).as(name).isGreaterThan(last);
                            taken.set(false);
                            acquired.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
        }
        try {
            change(all, acquired, process -> process.join("d", store("d")));
            change(all, acquired, process -> process.leave("a"));
            change(all, acquired, process -> process.join("e", store("e")));
        } finally {
            over.set(true);
        }
        assertThat(runs).hasSize(6);
        for (Future<?> run : runs) {
            run.get(60, TimeUnit.SECONDS);
        }
        assertThat(tokens).hasSize(names.size());
    }

    @Test
    void aDeadStoreTakesOnlyItsNamesWithIt() throws Exception {
        RedisServer server = RedisServer.start();
        // Time enough for the first commands of a busy machine; the lease ends long before.
        RedisBackend redis = RedisBackend.connect(
                RedisOptions.of(server.address().uri()).withCommandTimeout(Duration.ofSeconds(10)));
        try {
            Map<String, LockStore> stores = stores("a", "b");
            stores.put("c", redis.lockStore());
            ShardedLocks process = ShardedLocks.over(stores);
            processes.add(process);
            LockOptions brief = LockOptions.DEFAULT.withLease(Duration.ofSeconds(2));
            Lease there = process.locks().lock(livingAt(process, "c"), brief).acquire(PATIENCE);
            Lease here = process.locks().lock(livingAt(process, "a")).acquire(PATIENCE);
            server.kill();
            assertThat(there.lost().toCompletableFuture()).succeedsWithin(PATIENCE);
            assertThat(here.state()).isEqualTo(Lease.State.HELD);
            process.locks().lock(livingAt(process, "b")).acquire(PATIENCE).close();
            process.close();
        } finally {
            redis.disconnect();
            server.close();
        }
    }

    private static void change(
            List<ShardedLocks> all, AtomicLong acquired, Function<ShardedLocks, CompletionStage<Void>> step) {
        List<CompletionStage<Void>> drained = new ArrayList<>();
        for (ShardedLocks process : all) {
            drained.add(step.apply(process));
            awaitMore(acquired); // some are a step ahead of others
        }
        drained.forEach(each -> assertThat(each).succeedsWithin(PATIENCE));
        for (ShardedLocks process : all) {
            process.settle();
            awaitMore(acquired);
        }
    }

    private static void awaitMore(AtomicLong acquired) {
        long enough = acquired.get() + 50;
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> acquired.get() >= enough);
    }

    private ShardedLocks process() {
        ShardedLocks process = ShardedLocks.over(stores("a", "b", "c"), Duration.ZERO);
        processes.add(process);
        return process;
    }

    private Map<String, LockStore> stores(String... labels) {
        Map<String, LockStore> stores = new HashMap<>();
        for (String label : labels) {
            stores.put(label, store(label));
        }
        return stores;
    }

    private LockStore store(String label) {
        return backends.computeIfAbsent(label, any -> MemoryBackend.create()).lockStore();
    }

    private CompletableFuture<Void> join(ShardedLocks process) {
        return process.join("d", store("d")).toCompletableFuture();
    }

    private String movingTo(String label) {
        ShardedLocks now = process();
        ShardedLocks then = ShardedLocks.over(stores("a", "b", "c", label), Duration.ZERO);
        processes.add(then);
        String name = Stream.iterate(0, i -> i + 1)
                .map(i -> "moving:" + i)
                .filter(each -> !now.nodeOf(each).equals(then.nodeOf(each)))
                .findFirst()
                .orElseThrow();
        backends.remove(label).close();
        return name;
    }

    private static String livingAt(ShardedLocks process, String label) {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> "name:" + i)
                .filter(each -> process.nodeOf(each).equals(label))
                .findFirst()
                .orElseThrow();
    }

    private static void assertNotGranted(ShardedLocks process, String name) throws InterruptedException {
        assertThat(process.locks().lock(name).tryAcquire()).isEmpty();
        assertThat(process.locks().lock(name).tryAcquire(BRIEF)).isEmpty();
    }

    private static void awaitWaiter(Locks locks, String name) {
        await().atMost(PATIENCE)
                .until(() -> locks.inspect(name).orElseThrow().queue().size() == 1);
    }

    /** A clock that is behind that of this machine. */
    private record Behind(Duration by) implements TimeSource {
        @Override
        public Instant now() {
            return TimeSource.system().now().minus(by);
        }

        @Override
        public long epochMillis() {
            return TimeSource.system().epochMillis() - by.toMillis();
        }

        @Override
        public long nanoTime() {
            return TimeSource.system().nanoTime();
        }

        @Override
        public void park(Duration atMost) {
            TimeSource.system().park(atMost);
        }
    }
}
