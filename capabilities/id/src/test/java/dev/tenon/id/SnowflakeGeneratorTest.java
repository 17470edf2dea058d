package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SnowflakeGeneratorTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final IdLayout TWITTER = IdLayout.twitter();

    private final JumpyClock clock = new JumpyClock(NOW);

    private SnowflakeGenerator fixed(IdLayout layout, int worker) {
        return SnowflakeGenerator.create(layout, WorkerId.fixed(worker, clock));
    }

    @Test
    void anIdSaysWhenAndWhere() {
        SnowflakeGenerator ids = fixed(TWITTER, 378);
        ids.nextId();
        clock.advance(Duration.ofMillis(500));
        IdParts parts = TWITTER.decode(ids.nextId());
        assertThat(parts.time()).isEqualTo(clock.now());
        assertThat(parts.workerId()).isEqualTo(378);
        assertThat(parts.datacenter()).isEqualTo(11);
        assertThat(parts.worker()).isEqualTo(26);
    }

    @Test
    void everyLayoutsIdsDecodeToTheirMakers() {
        for (IdLayout layout : List.of(TWITTER, IdLayout.sonyflake(), IdLayout.baidu(), IdLayout.jsSafe())) {
            SnowflakeGenerator ids = fixed(layout, 21);
            long[] batch = new long[50_000 / (int) layout.unit().toMillis() + 300];
            ids.fill(batch);
            Set<Long> sequences = new HashSet<>();
            for (int i = 0; i < batch.length; i++) {
                IdParts parts = layout.decode(batch[i]);
                assertThat(parts.workerId()).isEqualTo(21);
                assertThat(parts.time()).isBetween(NOW, clock.now().plusSeconds(3));
                sequences.add(parts.sequence());
                assertThat(i == 0 || batch[i] > batch[i - 1]).isTrue();
            }
            assertThat(sequences).hasSize(Math.min(batch.length, 1 << layout.sequenceBits()));
        }
    }

    @Test
    void neverExceedsItsRateAndWaitsInsteadOfSpinning() {
        SnowflakeGenerator ids = SnowflakeGenerator.builder(TWITTER, WorkerId.fixed(1, clock))
                .borrow(Duration.ofMillis(20))
                .build();
        Instant start = clock.now();
        for (int i = 0; i < 4096 * 200; i++) {
            long id = ids.nextId();
            if (i % 100 == 0) {
                assertThat(TWITTER.decode(id).time())
                        .isBeforeOrEqualTo(clock.now().plusMillis(20));
            }
        }
        // 200 ms worth of IDs, of which 20 ms may be ahead of the clock and the first 20 ms were left to a predecessor.
        assertThat(Duration.between(start, clock.now())).isBetween(Duration.ofMillis(199), Duration.ofMillis(205));
        assertThat(clock.parked()).isEqualTo(Duration.between(start, clock.now()));
    }

    @Test
    void fillAndNextIdShareOneOrder() {
        SnowflakeGenerator ids = fixed(TWITTER, 1);
        long last = 0;
        long[] batch = new long[1000];
        for (int i = 0; i < 100; i++) {
            long id = ids.nextId();
            assertThat(id).isGreaterThan(last);
            ids.fill(batch);
            assertThat(batch[0]).isGreaterThan(id);
            assertThat(batch).isSorted().doesNotHaveDuplicates();
            last = batch[999];
        }
        ids.fill(new long[0]);
    }

    @Test
    void aSmallStepBackIsBridgedInOrderAndALargeOneRefused() {
        SnowflakeGenerator ids = fixed(TWITTER, 1);
        ids.nextId();
        clock.advance(Duration.ofSeconds(5));
        long before = ids.nextId();
        Duration parked = clock.parked();

        clock.step(Duration.ofMillis(-30));
        clock.advance(Duration.ofMillis(2)); // the clock is read once a millisecond
        long bridged = ids.nextId();
        assertThat(bridged).isGreaterThan(before);
        assertThat(clock.parked()).as("covered by borrowing").isEqualTo(parked);

        clock.step(Duration.ofMillis(-900));
        clock.advance(Duration.ofMillis(2));
        assertThat(ids.nextId()).isGreaterThan(bridged);
        assertThat(clock.parked().minus(parked))
                .as("waited for")
                .isBetween(Duration.ofMillis(800), Duration.ofSeconds(1));

        clock.step(Duration.ofSeconds(-3));
        clock.advance(Duration.ofMillis(2));
        assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        assertThatThrownBy(() -> ids.fill(new long[3])).isInstanceOf(ClockMovedBackwardsException.class);

        clock.step(Duration.ofSeconds(3));
        clock.advance(Duration.ofMillis(2));
        assertThat(ids.nextId()).isGreaterThan(bridged);
    }

    /** Neither process can know what the other borrowed; the second starts after all that the first can have used. */
    @Test
    void aFixedWorkerIdThatIsRestartedRepeatsNothing() {
        long last = 0;
        for (int restart = 0; restart < 20; restart++) {
            long[] burst = new long[4096 * 60];
            fixed(TWITTER, 1).fill(burst);
            assertThat(burst[0]).isGreaterThan(last);
            last = burst[burst.length - 1];
        }
    }

    @Test
    void refusesAnEpochInTheFutureAndALayoutThatHasExpired() {
        IdLayout future = TWITTER.withEpoch(NOW.plusMillis(1));
        assertThatThrownBy(() -> fixed(future, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("future");
        assertThatThrownBy(() -> fixed(IdLayout.baidu().withEpoch(Instant.parse("2016-05-19T16:00:00Z")), 1))
                .isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void stopsWhenTheLayoutExpires() {
        IdLayout brief = IdLayout.builder()
                .timeBits(10)
                .workerBits(2)
                .sequenceBits(31)
                .epoch(NOW)
                .build();
        SnowflakeGenerator ids = fixed(brief, 3);
        clock.advance(Duration.ofMillis(1000));
        assertThat(brief.decode(ids.nextId()).time()).isBefore(brief.expiry());
        clock.advance(Duration.ofMillis(24));
        assertThatThrownBy(ids::nextId).isInstanceOf(RangeExhaustedException.class);
        clock.advance(Duration.ofDays(1));
        assertThatThrownBy(ids::nextId).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void issuesUpToTheLastIdOfALayoutAndThenNoMore() {
        IdLayout tiny = IdLayout.builder()
                .timeBits(6)
                .workerBits(0)
                .sequenceBits(2)
                .epoch(NOW)
                .build();
        SnowflakeGenerator ids = fixed(tiny, 0);
        clock.advance(Duration.ofMillis(60));
        List<Long> issued = new ArrayList<>();
        assertThatThrownBy(() -> {
                    while (true) {
                        issued.add(ids.nextId());
                    }
                })
                .isInstanceOf(RangeExhaustedException.class);
        assertThat(issued).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(8);
        assertThat(issued.get(issued.size() - 1)).isEqualTo(tiny.maxId());
    }

    @Test
    void aWorkerIdServesOneGeneratorOfItsLayout() {
        WorkerId worker = WorkerId.fixed(5, clock);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWITTER, worker);
        assertThatThrownBy(() -> SnowflakeGenerator.create(TWITTER, worker)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fixed(TWITTER, 1024)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> WorkerId.fixed(-1)).isInstanceOf(IllegalArgumentException.class);
        ids.nextId();
        worker.close();
        worker.close();
        assertThatThrownBy(ids::nextId).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ids.fill(new long[1])).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesBadChoices() {
        SnowflakeGenerator.Builder builder = SnowflakeGenerator.builder(TWITTER, WorkerId.fixed(1));
        assertThatThrownBy(() -> builder.borrow(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.borrow(Duration.ofHours(2))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.tolerance(Duration.ofHours(2))).isInstanceOf(IllegalArgumentException.class);
    }

    /** Each process issues one ID: if all began with sequence 0, all would go to one shard. */
    @Test
    void firstIdsAreSpreadOverShards() {
        int[] counts = new int[16];
        for (int i = 0; i < 1600; i++) {
            clock.advance(Duration.ofSeconds(1));
            counts[(int) (fixed(TWITTER, 1).nextId() % 16)]++;
        }
        assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan(40);
    }

    @Test
    void eightThreadsSeeOneOrderAndNoDuplicate() throws Exception {
        IdLayout wide = IdLayout.builder().workerBits(2).sequenceBits(20).build();
        for (IdLayout layout : List.of(TWITTER, wide)) {
            SnowflakeGenerator ids = SnowflakeGenerator.create(layout, WorkerId.fixed(1));
            List<long[]> taken = onEightThreads(thread -> {
                long[] mine = new long[120_000];
                long[] batch = new long[100];
                int n = 0;
                while (n < mine.length) {
                    if (thread % 4 == 3 && n + batch.length <= mine.length) {
                        ids.fill(batch);
                        System.arraycopy(batch, 0, mine, n, batch.length);
                        n += batch.length;
                    } else {
                        mine[n++] = ids.nextId();
                    }
                }
                return mine;
            });
            for (long[] mine : taken) {
                for (int i = 1; i < mine.length; i++) {
                    if (mine[i] <= mine[i - 1]) {
                        throw new AssertionError("Went back: " + mine[i - 1] + ", " + mine[i]);
                    }
                }
            }
            long[] all = taken.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            for (int i = 1; i < all.length; i++) {
                if (all[i] == all[i - 1]) {
                    throw new AssertionError("Issued twice: " + all[i]);
                }
            }
        }
    }

    /** While busy it does without most clock readings; its IDs must carry the right time all the same. */
    @Test
    void aBusyGeneratorFollowsTheClockAndEndsItsWatchWhenItIsIdle() {
        IdLayout wide = IdLayout.builder().workerBits(2).sequenceBits(20).build();
        SnowflakeGenerator ids = SnowflakeGenerator.builder(wide, WorkerId.fixed(1))
                .borrow(Duration.ofMillis(1))
                .build();
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            for (int i = 0; i < 100_000; i++) {
                ids.nextId();
            }
            return watches() > 0;
        });
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                ids.nextId();
            }
            Instant before = TimeSource.system().now();
            for (int i = 0; i < 2 * ClockWatch.RUN; i++) {
                ids.nextId();
            }
            Instant issued = wide.decode(ids.nextId()).time();
            // At least one reading of the clock lies between; clock and ID are both rounded down to a millisecond.
            assertThat(issued).isAfterOrEqualTo(before.minusMillis(2));
            assertThat(issued).isBeforeOrEqualTo(TimeSource.system().now().plusMillis(2));
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> watches() == 0);
        Instant before = TimeSource.system().now();
        assertThat(wide.decode(ids.nextId()).time()).isAfterOrEqualTo(before.minusMillis(2));
    }

    private static long watches() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("tenon-clock-watch"))
                .count();
    }

    interface Work {
        long[] run(int thread) throws Exception;
    }

    static List<long[]> onEightThreads(Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            CyclicBarrier start = new CyclicBarrier(8);
            List<Future<long[]>> futures = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int thread = i;
                futures.add(pool.submit(() -> {
                    start.await();
                    return work.run(thread);
                }));
            }
            List<long[]> results = new ArrayList<>();
            for (Future<long[]> future : futures) {
                results.add(future.get(120, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
