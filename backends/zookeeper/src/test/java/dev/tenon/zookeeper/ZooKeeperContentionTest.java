package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TenonException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What many processes do to each other at one node, and what happens at the ends of ZooKeeper's numbers and clock. */
class ZooKeeperContentionTest {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final List<ZooKeeperBackend> processes = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        atOnce(processes.stream()
                .<Callable<Void>>map(process -> () -> {
                    process.close();
                    return null;
                })
                .toList());
    }

    private ZooKeeperBackend process() {
        ZooKeeperBackend process = PatientZooKeeper.connect(address);
        processes.add(process);
        return process;
    }

    @Test
    void tenProcessesAtOneNameTakeEveryNumberOnce() throws Exception {
        List<Callable<List<IdRange>>> work = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RangeStore store = process().ranges();
            work.add(() -> take(store, 20));
        }
        assertContiguous(atOnce(work), 200);
    }

    @Test
    void aNodeWhoseVersionsAreUsedUpIsMadeAnewAndNoNumberIsTakenTwice() throws Exception {
        List<Callable<List<IdRange>>> work = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            // Of 100 changes in all, so that a node's versions end once; and a process that is overtaken by the 75 of
            // the others
            // can't take the new node for the old one.
            RangeStore store = new ZooKeeperRangeStore(process().link(), 80);
            work.add(() -> take(store, 25));
        }
        assertContiguous(atOnce(work), 100);
        ZooKeeperLink link = processes.get(0).link();
        Stat stat = link.handle().exists(link.paths().range("sequence"), false);
        assertThat(stat.getVersion()).isLessThan(80);
        assertThat(stat.getCzxid()).isGreaterThan(0);
    }

    @Test
    void twentyProcessesThatStartTogetherHaveTwentyWorkerIds() throws Exception {
        List<Callable<WorkerSlot>> work = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            WorkerIdSource source = process().workerIds("group");
            work.add(() -> source.claim(claim(64, Instant.now())));
        }
        assertThat(atOnce(work))
                .extracting(WorkerSlot::workerId)
                .doesNotHaveDuplicates()
                .allMatch(id -> id < 20);
    }

    @Test
    void twentyProcessesThatKeepWhatTheyHaveAfterARestartAreInNobodysWay() throws Exception {
        List<WorkerIdSource> sources = new ArrayList<>();
        List<WorkerSlot> slots = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sources.add(process().workerIds("group"));
            slots.add(sources.get(i).claim(claim(64, Instant.now())));
        }
        ZooKeeperLink link = processes.get(0).link();
        String path = link.paths().group("group");
        byte[] text = link.handle().getData(path, false, null);
        // As a restart does: it was written in another run of the server.
        String earlier = new String(text, StandardCharsets.UTF_8).replaceFirst("run \\w+", "run 1");
        int version = link.handle()
                .setData(path, earlier.getBytes(StandardCharsets.UTF_8), -1)
                .getVersion();
        List<Callable<WorkerSlot>> work = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            WorkerIdSource source = sources.get(i);
            WorkerSlot slot = slots.get(i);
            assertThat(source.renew(slot, LEASE, slot.fence())).isFalse();
            work.add(() -> source.claim(claim(64, Instant.now()).keeping(slot.workerId(), slot.claim())));
        }
        assertThat(atOnce(work))
                .extracting(WorkerSlot::claim)
                .isEqualTo(slots.stream().map(WorkerSlot::claim).toList());
        assertThat(link.handle().exists(path, false).getVersion())
                .as("the first of them wrote it")
                .isEqualTo(version + 1);
    }

    @Test
    void aRequestThatIsClaimedWhileItIsBeingClaimedGetsOneSlot() {
        ZooKeeperLink link = process().link();
        WorkerIdSource other = new ZooKeeperWorkerIdSource(link, "group", 100, now -> now);
        other.release(other.claim(claim(8, Instant.now())), Instant.now().minusSeconds(1));
        WorkerClaim claim = claim(8, Instant.now());
        AtomicReference<WorkerSlot> meanwhile = new AtomicReference<>();
        WorkerIdSource slow = new ZooKeeperWorkerIdSource(link, "group", 100, now -> {
            if (meanwhile.get() == null) {
                meanwhile.set(other.claim(claim.wanting(5)));
            }
            return now;
        });
        assertThat(slow.claim(claim)).isEqualTo(meanwhile.get());
        assertThat(other.census())
                .filteredOn(view -> !view.leaseLeft().isZero())
                .hasSize(1);
    }

    @Test
    void aGroupThatIsTooLargeForZooKeeperIsRefusedWhereItWouldGrow() {
        ZooKeeperLink link = process().link();
        WorkerIdSource source = new ZooKeeperWorkerIdSource(link, "group", 3, now -> now);
        WorkerSlot first = source.claim(claim(WorkerClaim.CAPACITY_MAX, Instant.now()));
        source.claim(claim(WorkerClaim.CAPACITY_MAX, Instant.now()));
        source.claim(claim(WorkerClaim.CAPACITY_MAX, Instant.now()).wanting(4_000_000));
        assertThatThrownBy(() -> source.claim(claim(WorkerClaim.CAPACITY_MAX, Instant.now())))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("3 slots");
        assertThat(source.census()).hasSize(3);
        source.release(first, Instant.now().minusSeconds(1));
        assertThat(source.claim(claim(WorkerClaim.CAPACITY_MAX, Instant.now())).workerId())
                .isEqualTo(first.workerId());
    }

    /** The clock of a new leader may be behind that of the old one. */
    @Test
    void aLeaderWhoseClockIsBehindMakesLeasesLongerAndEndsNone() {
        ZooKeeperLink link = process().link();
        WorkerIdSource before = new ZooKeeperWorkerIdSource(link, "group", 100, now -> now);
        WorkerIdSource behind = new ZooKeeperWorkerIdSource(link, "group", 100, now -> now.minusSeconds(3600));
        WorkerSlot held = before.claim(claim(4, Instant.now()));
        WorkerSlot released = before.claim(claim(4, Instant.now()));
        before.release(released, Instant.now());
        WorkerSlot next = behind.claim(claim(4, Instant.now()));
        assertThat(next.workerId())
                .as("neither the held nor, for an hour, the released one")
                .isEqualTo(2);
        assertThat(behind.renew(held, LEASE, held.fence())).isTrue();
        assertThat(behind.census().get(0).leaseLeft()).isLessThanOrEqualTo(LEASE.plusMillis(1));
    }

    /** The clock of a new leader may be ahead: a lease then ends early, and only the fences keep holders apart. */
    @Test
    void aLeaderWhoseClockIsAheadEndsLeasesEarlyAndTheNextHolderStartsAboveTheFence() {
        ZooKeeperLink link = process().link();
        WorkerIdSource before = new ZooKeeperWorkerIdSource(link, "group", 100, now -> now);
        WorkerIdSource ahead = new ZooKeeperWorkerIdSource(link, "group", 100, now -> now.plusSeconds(3600));
        WorkerSlot held = before.claim(claim(1, Instant.now()));
        WorkerSlot next = ahead.claim(claim(1, Instant.now()));
        assertThat(next.workerId()).isEqualTo(held.workerId());
        assertThat(next.floor()).isEqualTo(held.fence());
        assertThat(before.renew(held, LEASE, held.fence().plusSeconds(60))).isFalse();
        assertThat(ahead.census())
                .singleElement()
                .extracting(WorkerSlotView::fence)
                .isEqualTo(next.fence());
    }

    private static List<IdRange> take(RangeStore store, int times) {
        List<IdRange> taken = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            taken.add(store.next("sequence", 7));
        }
        return taken;
    }

    private static void assertContiguous(List<List<IdRange>> taken, int ranges) {
        List<IdRange> all = taken.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingLong(IdRange::first))
                .toList();
        assertThat(all).hasSize(ranges);
        for (int i = 0; i < ranges; i++) {
            assertThat(all.get(i)).isEqualTo(new IdRange(1 + 7L * i, 7, 1));
        }
    }

    private static <T> List<T> atOnce(List<Callable<T>> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(Math.max(1, work.size()));
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : pool.invokeAll(work)) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdown();
        }
    }

    private static WorkerClaim claim(int capacity, Instant now) {
        return new WorkerClaim(UUID.randomUUID().toString(), "test", "layout", capacity, LEASE, now, LEASE)
                .inNewStore();
    }
}
