package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TimeSource;
import dev.tenon.id.SegmentFetchers.Limits;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many names, few threads. */
class SegmentFetchersTest {
    private static final int MANY = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration NEVER = Duration.ofHours(1);
    private static final SegmentPolicy STEP_10 = SegmentPolicy.ofStep(10).withWaitMax(PATIENCE);

    private final CountDownLatch gate = new CountDownLatch(1);
    private final Sequences store = new Sequences();
    private final List<SegmentBuffer> open = new ArrayList<>();

    /** Sequences in memory; calls of some names wait at a gate. */
    private final class Sequences implements RangeStore {
        final Map<String, AtomicLong> sequences = new ConcurrentHashMap<>();
        final Map<String, AtomicInteger> calling = new ConcurrentHashMap<>();
        final Set<String> hanging = ConcurrentHashMap.newKeySet();
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger insideMax = new AtomicInteger();
        final AtomicInteger calls = new AtomicInteger();
        volatile boolean twoAtOnce;
        volatile boolean failing;

        @Override
        public IdRange next(String name, long count) {
            calls.incrementAndGet();
            insideMax.accumulateAndGet(inside.incrementAndGet(), Math::max);
            AtomicInteger same = calling.computeIfAbsent(name, n -> new AtomicInteger());
            twoAtOnce |= same.incrementAndGet() > 1;
            try {
                if (hanging.contains(name)) {
                    awaitGate();
                }
                if (failing) {
                    throw new BackendUnavailableException("away");
                }
                long first =
                        sequences.computeIfAbsent(name, n -> new AtomicLong(1)).getAndAdd(count);
                return new IdRange(first, count, 1);
            } finally {
                same.decrementAndGet();
                inside.decrementAndGet();
            }
        }

        private void awaitGate() {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void define(String name, RangeDefinition definition) {}

        @Override
        public Optional<RangeDefinition> definition(String name) {
            return Optional.empty();
        }

        @Override
        public long raiseTo(String name, long floor) {
            throw new UnsupportedOperationException();
        }
    }

    @AfterEach
    void end() {
        gate.countDown();
        open.forEach(SegmentBuffer::close);
    }

    private SegmentFetchers fetchers(int atOnce, int max, Duration slowAfter) {
        return new SegmentFetchers(FetchThreads.platform(), TimeSource.system(), new Limits(atOnce, max, slowAfter));
    }

    private SegmentBuffer buffer(SegmentFetchers fetchers, String name) {
        SegmentBuffer buffer = new SegmentBuffer(
                        new WatchedRanges(store, name), STEP_10, TimeSource.system(), null, new SegmentSignal())
                .start(fetchers);
        open.add(buffer);
        return buffer;
    }

    private List<SegmentBuffer> hanging(SegmentFetchers fetchers, int count) {
        List<SegmentBuffer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            store.hanging.add("hangs-" + i);
            SegmentBuffer buffer = buffer(fetchers, "hangs-" + i);
            buffer.want();
            all.add(buffer);
        }
        return all;
    }

    private static long fetching() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tenon-segment"))
                .count();
    }

    @Test
    void aHundredThousandNamesHaveAHandfulOfThreadsAndNoneWhenNobodyNeedsNumbers() throws Exception {
        int before = Thread.activeCount();
        List<SegmentGenerator> names = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            names.add(SegmentGenerator.create(store, "name-" + i, STEP_10));
        }
        assertThat(fetching()).as("nothing was asked for").isLessThanOrEqualTo(64);
        AtomicInteger next = new AtomicInteger();
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        AtomicLong threadsMax = new AtomicLong();
        for (int caller = 0; caller < 4; caller++) {
            callers.add(CompletableFuture.runAsync(() -> {
                for (int i = next.getAndIncrement(); i < MANY; i = next.getAndIncrement()) {
                    for (int id = 1; id <= 15; id++) { // into the second segment
                        assertThat(names.get(i).nextId()).isEqualTo(id);
                    }
                    if (i % 10_000 == 0) {
                        threadsMax.accumulateAndGet(fetching(), Math::max);
                    }
                }
            }));
        }
        CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0])).get(10, TimeUnit.MINUTES);
        assertThat(threadsMax.get()).isLessThanOrEqualTo(64);
        assertThat(store.insideMax.get()).isLessThanOrEqualTo(64);
        assertThat(store.twoAtOnce).isFalse();
        await().atMost(PATIENCE).until(() -> fetching() == 0);
        assertThat(Thread.activeCount()).as("100 000 names at hand").isLessThan(before + 64);
        for (int i = 0; i < MANY; i += 1000) {
            assertThat(names.get(i).nextId()).isEqualTo(16);
        }
        names.forEach(SegmentGenerator::close);
    }

    @Test
    void noMoreCallsRunThanTheLimitSays() {
        SegmentFetchers fetchers = fetchers(4, 8, NEVER);
        List<SegmentBuffer> names = hanging(fetchers, 100);
        await().atMost(PATIENCE).until(() -> store.inside.get() == 4);
        gate.countDown();
        for (SegmentBuffer name : names) {
            assertThat(name.next()).isEqualTo(1);
        }
        assertThat(store.insideMax.get()).isEqualTo(4);
        assertThat(store.twoAtOnce).isFalse();
    }

    @Test
    void namesThatHangDoNotHoldUpTheOthers() {
        SegmentFetchers fetchers = fetchers(4, 32, Duration.ofMillis(20));
        hanging(fetchers, 20);
        for (int i = 0; i < 1000; i++) {
            assertThat(buffer(fetchers, "well-" + i).next()).isEqualTo(1);
        }
        await().atMost(PATIENCE).until(() -> store.inside.get() == 20);
        assertThat(store.calls.get()).as("none of them twice").isEqualTo(1020);
    }

    @Test
    void aStoreThatIsDownWithAThousandNamesLeavesThreadsToOthers() {
        SegmentFetchers fetchers = fetchers(4, 8, Duration.ofMillis(20));
        store.failing = true;
        for (int i = 0; i < 1000; i++) {
            buffer(fetchers, "down-" + i).want();
        }
        await().atMost(PATIENCE).until(() -> open.stream().allMatch(name -> name.failure() != null));
        open.forEach(name -> store.hanging.add(name.failure() == null ? "" : "down-" + open.indexOf(name)));
        await().atMost(PATIENCE).until(() -> store.inside.get() >= 4);
        store.failing = false;
        for (int i = 0; i < 100; i++) {
            assertThat(buffer(fetchers, "well-" + i).next()).isEqualTo(1);
        }
        assertThat(store.inside.get()).isEqualTo(4);
    }

    @Test
    void twoGeneratorsOfANameTakeTurns() throws Exception {
        try (SegmentGenerator ascending = SegmentGenerator.create(store, "n", STEP_10);
                SegmentGenerator other = SegmentGenerator.create(store, "n", STEP_10);
                ShuffledSegmentGenerator shuffled = ShuffledSegmentGenerator.create(store, "n", STEP_10)) {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            Set<Long> seen = ConcurrentHashMap.newKeySet();
            for (IdGenerator ids : List.of(ascending, other, shuffled)) {
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        assertThat(seen.add(ids.nextId())).isTrue();
                    }
                }));
            }
            CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0]))
                    .get(5, TimeUnit.MINUTES);
            assertThat(store.twoAtOnce).isFalse();
        }
    }

    @Test
    void noWakeUpIsLostWhereEachNumberNeedsACall() throws Exception {
        SegmentPolicy one = SegmentPolicy.ofStep(1).withWaitMax(PATIENCE);
        SegmentFetchers fetchers = fetchers(4, 8, Duration.ofMillis(20));
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            SegmentBuffer buffer = new SegmentBuffer(
                            new WatchedRanges(store, "n-" + i), one, TimeSource.system(), null, new SegmentSignal())
                    .start(fetchers);
            open.add(buffer);
            for (int caller = 0; caller < 4; caller++) {
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int id = 0; id < 500; id++) {
                        assertThat(buffer.next()).isPositive();
                    }
                }));
            }
        }
        CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0])).get(5, TimeUnit.MINUTES);
        assertThat(store.twoAtOnce).isFalse();
        assertThat(store.insideMax.get()).isLessThanOrEqualTo(8);
    }

    @Test
    void whereThereIsNoThreadTheCallerIsToldAndItIsTriedAgain() {
        AtomicInteger refused = new AtomicInteger();
        FetchThreads threads = FetchThreads.platform();
        SegmentFetchers fetchers = new SegmentFetchers(
                task -> {
                    if (refused.getAndIncrement() < 3) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    threads.execute(task);
                },
                TimeSource.system(),
                new Limits(4, 8, NEVER));
        SegmentBuffer buffer = new SegmentBuffer(
                        new WatchedRanges(store, "n"),
                        STEP_10.withWaitMax(Duration.ZERO),
                        TimeSource.system(),
                        null,
                        new SegmentSignal())
                .start(fetchers);
        assertThatThrownBy(buffer::next)
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("unable to create native thread");
        await().atMost(PATIENCE).until(() -> buffer.left() == 10);
        assertThat(buffer.next()).isEqualTo(1);
        buffer.close();
    }

    @Test
    void numbersThatComeAfterTheEndAreCountedAsWasted() {
        SegmentFetchers fetchers = fetchers(4, 8, NEVER);
        SegmentBuffer buffer = hanging(fetchers, 1).get(0);
        await().atMost(PATIENCE).until(() -> store.inside.get() == 1);
        buffer.close();
        assertThat(buffer.wasted()).isZero();
        gate.countDown();
        await().atMost(PATIENCE).until(() -> buffer.wasted() == 10);
    }

    @Test
    void theFirstNumbersAreFetchedAheadOfTheFirstCall() {
        try (SegmentGenerator ids = SegmentGenerator.create(store, "n", STEP_10)) {
            assertThat(ids.prefetch(PATIENCE)).isTrue();
            assertThat(ids.left()).isEqualTo(10);
            assertThat(ids.prefetch(Duration.ZERO)).as("they are there").isTrue();
            store.failing = true;
            assertThat(ids.nextId()).isEqualTo(1);
        }
        try (ShuffledSegmentGenerator ids = ShuffledSegmentGenerator.create(store, "other", STEP_10)) {
            assertThat(ids.prefetch(PATIENCE)).as("at once: the store failed").isFalse();
            store.failing = false;
            await().atMost(PATIENCE).until(() -> ids.left() == 10);
        }
        SegmentGenerator closed = SegmentGenerator.create(store, "n", STEP_10);
        closed.close();
        assertThat(closed.prefetch(PATIENCE)).isFalse();
    }
}
