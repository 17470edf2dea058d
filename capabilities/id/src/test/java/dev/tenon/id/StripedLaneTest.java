package dev.tenon.id;

import static dev.tenon.id.SnowflakeGeneratorTest.onEightThreads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StripedLaneTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final IdLayout WIDE =
            IdLayout.builder().workerBits(2).sequenceBits(20).build();

    private final CountingClock clock = new CountingClock(NOW);

    private SnowflakeGenerator striped(IdLayout layout, WorkerId worker) {
        SnowflakeGenerator ids = SnowflakeGenerator.builder(layout, worker)
                .lane(Lane.STRIPED)
                .places(16)
                .build();
        ids.nextId();
        ids.watch().begin();
        return ids;
    }

    private SnowflakeGenerator striped() {
        return striped(WIDE, WorkerId.fixed(1, clock));
    }

    @Test
    void readsTheClockOnceABlock() {
        SnowflakeGenerator ids = striped();
        ids.nextId();
        long before = clock.readings();
        for (int i = 0; i < 255 * 40; i++) {
            ids.nextId();
        }
        assertThat(clock.readings() - before).isBetween(40L, 45L);
    }

    @Test
    void looksAtTheClockAgainAfterABeatAndGoesOnWithItsBlock() {
        SnowflakeGenerator ids = striped();
        long first = ids.nextId();
        long before = clock.readings();
        for (int i = 1; i <= 5; i++) {
            ids.watch().runOnce();
            assertThat(ids.nextId()).isEqualTo(first + i);
        }
        assertThat(clock.readings() - before).isEqualTo(5);
    }

    @Test
    void aBlockThatIsTooOldIsDropped() {
        SnowflakeGenerator ids = striped();
        ids.nextId();
        for (int millis = 0; millis < 100; millis++) {
            clock.advance(Duration.ofMillis(1));
            ids.watch().runOnce();
            Instant issued = WIDE.decode(ids.nextId()).time();
            assertThat(issued)
                    .isBetween(clock.now().minusMillis(10), clock.now().plusMillis(50));
        }
        clock.advance(Duration.ofSeconds(1));
        ids.watch().runOnce();
        assertThat(WIDE.decode(ids.nextId()).time()).isEqualTo(clock.now());
    }

    /** What another thread is given next tells what was cut in between. */
    @Test
    void anIdleThreadWastesNoMoreThanABlockWhileOneLasts() throws Exception {
        SnowflakeGenerator ids = striped();
        long first = ids.nextId();
        AtomicReference<Long> other = new AtomicReference<>();
        Thread thread = new Thread(() -> other.set(ids.nextId()));
        thread.start();
        thread.join();
        assertThat(other.get()).isEqualTo(first + 255);
    }

    @Test
    void theBlocksOfAllPlacesAreOnePercentOfTheLayoutAtMost() {
        for (IdLayout layout :
                List.of(WIDE, IdLayout.twitter(), IdLayout.sonyflake(), IdLayout.baidu(), IdLayout.jsSafe())) {
            for (int places = 16; places <= 1024; places *= 4) {
                StripeTable table = new StripeTable(layout, places);
                assertThat(table.block() % 2).as("odd, see ShardSpreadTest").isOne();
                double wasted = table.block() == 1 ? 0 : table.block() * (double) places / table.ageSpan();
                assertThat(wasted).as(layout + " with " + places).isLessThanOrEqualTo(0.01);
            }
        }
        assertThat(new StripeTable(IdLayout.sonyflake(), 16).block())
                .as("no blocks at all")
                .isOne();
        assertThat(new StripeTable(IdLayout.twitter(), 16).block()).isEqualTo(19);
        assertThat(StripeTable.placesForThisMachine())
                .isBetween(16, 1024)
                .satisfies(n -> assertThat(n & n - 1).isZero());
    }

    @Test
    void calmGeneratorsReadTheClockForEachIdAndWasteNothing() {
        SnowflakeGenerator ids = SnowflakeGenerator.builder(WIDE, WorkerId.fixed(1, clock))
                .lane(Lane.STRIPED)
                .build();
        long first = ids.nextId();
        for (int i = 1; i < 1000; i++) {
            assertThat(ids.nextId()).isEqualTo(first + i);
        }
    }

    @Test
    void allWaysToTakeIdsShareOneOrder() {
        SnowflakeGenerator ids = striped();
        long last = 0;
        long[] batch = new long[300];
        for (int i = 0; i < 200; i++) {
            long id = ids.nextId();
            assertThat(id).isGreaterThan(last);
            if (i % 3 == 0) {
                ids.watch().runOnce(); // what is left of the block is not live
            }
            ids.fill(batch);
            assertThat(batch).isSorted().doesNotHaveDuplicates();
            assertThat(batch[0]).isGreaterThan(id);
            long next = ids.nextId();
            assertThat(next).isGreaterThan(batch[299]);
            IdRange range = ids.nextRange(1000);
            assertThat(range.first()).isGreaterThan(next);
            last = range.last();
            if (i % 50 == 7) {
                ids.watch().end();
                assertThat(ids.nextId()).isGreaterThan(last);
                last = ids.nextId();
                ids.watch().begin();
            }
        }
    }

    @Test
    void blocksEndWithTheirWorkerId() {
        WorkerId worker = WorkerId.fixed(1, clock);
        SnowflakeGenerator ids = striped(WIDE, worker);
        ids.nextId();
        worker.close();
        assertThatThrownBy(ids::nextId).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ids.fill(new long[1])).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ids.nextRange(1)).isInstanceOf(IllegalStateException.class);
    }

    /** The process stands still (a debugger, SIGSTOP, a paused machine) for longer than its lease. */
    @Test
    void aProcessThatStoodStillIssuesNothingAfterTheFirstBeat() {
        TableWorkerIds store = new TableWorkerIds(clock);
        LeasedWorkerId worker = lease(store);
        SnowflakeGenerator ids = striped(WIDE, worker);
        Set<Long> issued = new HashSet<>();
        issued.add(ids.nextId());
        clock.advance(Duration.ofSeconds(10));
        store.failWith(() -> new BackendUnavailableException("away"));

        // Before the watch has run, what is left of the block: reserved, and so nobody else's.
        long late = ids.nextId();
        assertThat(issued.add(late)).isTrue();
        assertThat(WIDE.decode(late).time()).isBeforeOrEqualTo(store.fence(worker.value()));
        store.failWith(null);
        LeasedWorkerId successor = lease(store);
        assertThat(successor.value()).as("the slot is free again").isEqualTo(worker.value());
        long theirs = SnowflakeGenerator.create(WIDE, successor).nextId();
        assertThat(theirs).isGreaterThan(late);
        store.failWith(() -> new BackendUnavailableException("away"));

        ids.watch().runOnce();
        assertThatThrownBy(ids::nextId).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void noBlockIsCutOrGoneOnWithShortlyBeforeTheLeaseEnds() {
        TableWorkerIds store = new TableWorkerIds(clock);
        LeasedWorkerId worker = lease(store); // 2 s, of which 1.8 s are used
        SnowflakeGenerator ids = striped(WIDE, worker);
        clock.advance(Duration.ofMillis(1747));
        ids.watch().runOnce();
        long ofBlock = ids.nextId();
        clock.advance(Duration.ofMillis(4));
        ids.watch().runOnce();
        long last = ids.nextId();
        assertThat(last).as("not of the block").isGreaterThan(ofBlock + 1);
        long before = clock.readings();
        for (int i = 0; i < 100; i++) {
            last = ids.nextId();
        }
        assertThat(clock.readings() - before).as("one for each").isGreaterThanOrEqualTo(100);
        worker.runOnce();
        assertThat(ids.nextId()).as("what was left of the block is given up").isGreaterThan(last);
        before = clock.readings();
        for (int i = 0; i < 100; i++) {
            ids.nextId();
        }
        assertThat(clock.readings() - before).as("renewed").isLessThan(10);
    }

    private LeasedWorkerId lease(TableWorkerIds store) {
        return WorkerId.builder(store, WIDE)
                .owner("p")
                .leaseTime(Duration.ofSeconds(2))
                .time(clock)
                .unscheduled()
                .leased();
    }

    @Test
    void atTheCapItParks() {
        SnowflakeGenerator ids = striped(IdLayout.twitter(), WorkerId.fixed(1, clock));
        Instant start = clock.now();
        long last = 0;
        for (int i = 0; i < 4096 * 200; i++) {
            long id = ids.nextId();
            assertThat(id > last).isTrue();
            last = id;
        }
        assertThat(Duration.between(start, clock.now())).isBetween(Duration.ofMillis(145), Duration.ofMillis(205));
    }

    @Test
    void eightThreadsAndManyMoreSeeNoDuplicate() throws Exception {
        for (IdLayout layout : List.of(IdLayout.twitter(), WIDE)) {
            SnowflakeGenerator ids = SnowflakeGenerator.builder(layout, WorkerId.fixed(1))
                    .lane(Lane.STRIPED)
                    .build();
            List<long[]> taken = onEightThreads(thread -> {
                long[] mine = new long[120_000];
                for (int n = 0; n < mine.length; n++) {
                    mine[n] = ids.nextId();
                    if (n % 10_000 == 0) {
                        Thread passing = new Thread(ids::nextId); // threads come and go
                        passing.start();
                        passing.join();
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
}
