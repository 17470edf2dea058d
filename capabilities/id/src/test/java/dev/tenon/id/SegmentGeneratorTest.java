package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.spi.RangeDefinition;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentGeneratorTest {
    private static final SegmentPolicy STEP_100 = SegmentPolicy.ofStep(100);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TableRanges store = new TableRanges();
    private SegmentGenerator ids = SegmentGenerator.create(store, "n", STEP_100);

    @AfterEach
    void close() {
        ids.close();
    }

    private static BackendUnavailableException away() {
        return new BackendUnavailableException("away");
    }

    private void restart(SegmentPolicy policy) {
        ids.close();
        ids = SegmentGenerator.create(store, "n", policy);
    }

    @Test
    void anErrorEndsNoFetchingForGood() {
        AtomicInteger errors = new AtomicInteger();
        store.failWith(() -> {
            if (errors.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            store.failWith(null);
            return new BackendUnavailableException("away");
        });
        SegmentPolicy patient = SegmentPolicy.ofStep(100).withWaitMax(Duration.ofSeconds(30));
        try (SegmentGenerator ids = SegmentGenerator.create(store, "n", patient)) {
            assertThat(ids.nextId()).isEqualTo(1);
        }
        assertThat(errors).hasValue(2);
    }

    @Test
    void countsFromTheStartOfTheSequenceInItsSteps() {
        store.define("n", new RangeDefinition(7, 5, 100_000));
        for (int i = 0; i < 1000; i++) {
            assertThat(ids.nextId()).isEqualTo(7 + 5L * i);
        }
        long[] batch = new long[500];
        ids.fill(batch);
        assertThat(batch[0]).isEqualTo(7 + 5L * 1000);
        assertThat(batch[499]).isEqualTo(7 + 5L * 1499);
        assertThat(store.counts()).allMatch(count -> count == 100);
    }

    @Test
    void eightThreadsTakeEachNumberOnceInOrderWithOneCallAtATime() throws Exception {
        for (SegmentPolicy policy : List.of(STEP_100, SegmentPolicy.ofStep(1), SegmentPolicy.DEFAULT)) {
            int each = policy.sizeMax() == 1 ? 500 : 20_000;
            restart(policy);
            long before = store.raiseTo("n", 0);
            List<long[]> taken = SnowflakeGeneratorTest.onEightThreads(thread -> {
                long[] mine = new long[each];
                for (int i = 0; i < each; i++) {
                    if (thread % 4 == 3 && each - i >= 7) {
                        long[] batch = new long[7];
                        ids.fill(batch);
                        System.arraycopy(batch, 0, mine, i, 7);
                        i += 6;
                    } else {
                        mine[i] = ids.nextId();
                    }
                }
                return mine;
            });
            for (long[] mine : taken) {
                assertThat(mine).isSorted().doesNotHaveDuplicates();
            }
            long[] all = taken.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            assertThat(all[0]).isEqualTo(before);
            assertThat(all[all.length - 1] - all[0])
                    .as("none left out, none twice")
                    .isEqualTo(all.length - 1);
            assertThat(Arrays.stream(all).distinct().count()).isEqualTo(all.length);
        }
        assertThat(store.callsAtOnce()).isEqualTo(1);
    }

    @Test
    void goesOnThroughAnOutageAsLongAsItsNumbersLast() {
        restart(STEP_100.withWaitMax(Duration.ofMillis(300)));
        for (int i = 0; i < 90; i++) {
            ids.nextId();
        }
        await().atMost(PATIENCE).until(() -> ids.left() == 110);
        store.failWith(SegmentGeneratorTest::away);
        long start = System.nanoTime();
        for (int i = 0; i < 110; i++) {
            ids.nextId();
        }
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessage("away");
        assertThatThrownBy(ids::nextId).isInstanceOf(BackendUnavailableException.class);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertThat(store.counts().size()).as("calls, in the end one a second").isLessThan(12 + (int) seconds);

        store.failWith(null);
        await().atMost(PATIENCE).ignoreExceptions().until(() -> ids.nextId() == 201);
    }

    @Test
    void callersThatWaitGetTheirNumberWhenTheStoreIsBack() throws Exception {
        restart(STEP_100.withWaitMax(Duration.ofMinutes(5)));
        store.failWith(SegmentGeneratorTest::away);
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(ids::nextId);
        await().atMost(PATIENCE).until(() -> store.counts().size() >= 3);
        assertThat(waiting).isNotDone();
        store.failWith(null);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void aLostReplyWastesARangeAndRepeatsNothing() {
        restart(STEP_100.withWaitMax(Duration.ofMillis(1)));
        store.loseRepliesWith(() -> new OutcomeUnknownException("reply lost"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(ids::nextId).isInstanceOf(OutcomeUnknownException.class));
        store.failWith(null);
        await().atMost(PATIENCE).ignoreExceptions().until(() -> ids.nextId() > 100);
    }

    @Test
    void theLastNumbersAreIssuedAndThenItSaysSo() {
        store.define("n", new RangeDefinition(1, 1, 130));
        for (int i = 1; i <= 130; i++) {
            assertThat(ids.nextId()).isEqualTo(i);
        }
        assertThatThrownBy(ids::nextId).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(() -> ids.fill(new long[2])).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void anUnexpectedErrorOfTheStoreReachesTheCaller() {
        class Broken extends TenonException {
            private static final long serialVersionUID = 1L;

            Broken() {
                super("broken");
            }
        }
        store.failWith(Broken::new);
        assertThatThrownBy(ids::nextId).isInstanceOf(Broken.class);
    }

    @Test
    void whatIsLeftAtTheEndIsCountedAsWasted() {
        for (int i = 0; i < 10; i++) {
            ids.nextId();
        }
        assertThat(ids.left()).isEqualTo(90);
        assertThat(ids.wasted()).isZero();
        ids.close();
        ids.close();
        assertThat(ids.wasted()).isEqualTo(90);
        assertThat(ids.left()).isZero();
        assertThatThrownBy(ids::nextId).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ids.fill(new long[1])).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingWakesThoseWhoWait() {
        restart(STEP_100.withWaitMax(Duration.ofMinutes(5)));
        store.failWith(SegmentGeneratorTest::away);
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(ids::nextId);
        await().atMost(PATIENCE).until(() -> !store.counts().isEmpty());
        ids.close();
        assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        await().atMost(PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("tenon-segments-")));
    }

    @Test
    void anInterruptedCallerStopsWaitingAndStaysInterrupted() throws Exception {
        restart(STEP_100.withWaitMax(Duration.ofMinutes(5)));
        store.failWith(SegmentGeneratorTest::away);
        FutureTask<Boolean> waiting = new FutureTask<>(() -> {
            assertThatThrownBy(ids::nextId).isInstanceOf(BackendUnavailableException.class);
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = new Thread(waiting, "waiting");
        thread.start();
        await().atMost(PATIENCE).until(() -> !store.counts().isEmpty());
        thread.interrupt();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void refusesBadPoliciesAndNames() {
        assertThatThrownBy(() -> SegmentPolicy.ofStep(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> STEP_100.withSize(10, 9)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> STEP_100.withSize(1, (1L << 31) + 1)).isInstanceOf(IllegalArgumentException.class);
        for (double bad : new double[] {0, -0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> STEP_100.withPrefetchAt(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        for (Duration bad : List.of(Duration.ofMillis(-1), Duration.ofDays(2))) {
            assertThatThrownBy(() -> STEP_100.withTarget(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> STEP_100.withWaitMax(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> STEP_100.withTarget(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SegmentGenerator.create(store, "")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aShuffledGeneratorIssuesEachNumberOfARangeOnceInAnotherOrder() {
        store.define("s", new RangeDefinition(1000, 3, Long.MAX_VALUE));
        try (ShuffledSegmentGenerator shuffled = ShuffledSegmentGenerator.create(store, "s", STEP_100)) {
            for (int segment = 0; segment < 20; segment++) {
                long first = 1000 + 300L * segment;
                Set<Long> seen = new HashSet<>();
                boolean sorted = true;
                long last = 0;
                for (int i = 0; i < 100; i++) {
                    long id = shuffled.nextId();
                    assertThat(id).isBetween(first, first + 297);
                    assertThat((id - first) % 3).isZero();
                    assertThat(seen.add(id)).isTrue();
                    sorted &= id > last;
                    last = id;
                }
                assertThat(sorted).isFalse();
            }
            long[] batch = new long[50];
            shuffled.fill(batch);
            assertThat(Arrays.stream(batch).distinct()).hasSize(50);
        }
    }
}
