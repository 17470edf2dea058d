package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.DistributedMultiLock;
import dev.tenon.lock.DistributedSemaphore;
import dev.tenon.lock.Election;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.LockTimeoutException;
import dev.tenon.lock.Locker;
import dev.tenon.lock.Locks;
import dev.tenon.lock.MultiLease;
import dev.tenon.lock.SegmentedStock;
import dev.tenon.lock.StripedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/** The part of {@link DistributedLockContract} that is about semaphores, multi-locks, stripes and locks by key. */
public abstract class LockKindsContract extends LockCoordinationContract {
    @Test
    void permitsAreGivenOutUpToTheirNumberAndComeBack() throws Exception {
        DistributedSemaphore mine = here.semaphore(name, 3);
        DistributedSemaphore theirs = there.semaphore(name, 3);
        assertThat(mine.available()).isEqualTo(3);
        Lease two = mine.acquire(2, WAIT);
        Lease one = theirs.acquire(WAIT);
        assertThat(mine.available()).isZero();
        assertThat(mine.tryAcquire()).isEmpty();
        assertThatThrownBy(() -> theirs.acquire(2, BRIEF)).isInstanceOf(LockTimeoutException.class);
        Future<Lease> waiter = threads.submit(() -> theirs.acquire(2, WAIT));
        awaitQueueOf(1);
        two.close();
        Lease next = waiter.get(25, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(one.token());
        one.close();
        next.close();
        assertThat(here.inspect(name)).isEmpty();
        for (int bad : new int[] {0, -1, 4}) {
            assertThatThrownBy(() -> mine.tryAcquire(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> here.semaphore(name, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void permitsDieWithTheirHolder() throws Exception {
        Lease dead = here.semaphore(name, 1, SHORT_LEASE.withoutRenewal()).acquire(WAIT);
        Lease next = there.semaphore(name, 1).acquire(WAIT);
        assertThat(dead.state()).isEqualTo(Lease.State.LOST);
        next.close();
    }

    @Test
    void locksAreTakenTogetherOrNotAtAll() throws Exception {
        DistributedMultiLock all = here.multiLock(List.of(name + "c", name + "a", name + "b", name + "a"));
        assertThat(all.names()).containsExactly(name + "a", name + "b", name + "c");
        try (MultiLease leases = all.acquire(WAIT)) {
            assertThat(leases.state()).isEqualTo(Lease.State.HELD);
            leases.tokens()
                    .forEach((lock, token) ->
                            assertThat(there.validate(lock, token)).isTrue());
            assertThat(there.lock(name + "b").tryAcquire()).isEmpty();
            assertThat(here.lock(name + "b").tryAcquire()).isEmpty();
            assertThat(there.multiLock(List.of(name + "b", name + "d")).tryAcquire())
                    .isEmpty();
            assertThat(here.inspect(name + "d")).isEmpty();
        }
        try (Lease one = there.lock(name + "b").acquire(WAIT)) {
            assertThat(all.tryAcquire()).isEmpty();
            assertThat(all.tryAcquire(BRIEF)).isEmpty();
            assertThatThrownBy(() -> all.acquire(BRIEF))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining(name + "b");
            assertThat(one.state()).isEqualTo(Lease.State.HELD);
        }
        for (String one : all.names()) {
            await().atMost(WAIT).until(() -> here.inspect(one).isEmpty());
        }
        assertThatThrownBy(() -> here.multiLock(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void crossedMultiLocksDoNotWaitForEachOther() throws Exception {
        List<Future<?>> runs = new ArrayList<>();
        int[] counter = new int[1];
        for (int t = 0; t < 6; t++) {
            List<String> names = List.of(name + t % 3, name + (t + 1) % 3, name + "x");
            DistributedMultiLock lock = (t % 2 == 0 ? here : there).multiLock(names);
            runs.add(threads.submit(() -> {
                for (int i = 0; i < 8; i++) {
                    try (MultiLease leases = lock.acquire(Duration.ofSeconds(60))) {
                        leases.ensure(Duration.ZERO);
                        counter[0]++;
                    }
                }
                return null;
            }));
        }
        for (Future<?> run : runs) {
            run.get(90, TimeUnit.SECONDS);
        }
        assertThat(counter[0]).isEqualTo(48);
    }

    @Test
    void aMultiLeaseIsLostWhenOneOfItsLocksIs() throws Exception {
        MultiLease leases =
                here.multiLock(List.of(name + "a", name + "b"), TAKEN_LEASE).acquire(WAIT);
        there.evict(name + "b", leases.token(name + "b"), "test");
        LeaseLostException reason = leases.lost().toCompletableFuture().get(25, TimeUnit.SECONDS);
        assertThat(reason).hasMessageContaining(name + "b");
        assertThat(leases.state()).isEqualTo(Lease.State.LOST);
        assertThatThrownBy(() -> leases.ensure(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> leases.token("z")).isInstanceOf(IllegalArgumentException.class);
        leases.close();
        leases.close();
        there.lock(name + "a").tryAcquire().orElseThrow().close();
    }

    @Test
    void aKeyBelongsToOneStripeInEveryProcess() throws Exception {
        StripedLock mine = here.stripedLock(name, 16);
        StripedLock theirs = there.stripedLock(name, 16);
        assertThat(mine.stripeOf("user:42")).as("fixed for ever").isEqualTo(6);
        try (Lease lease = mine.of("user:42").acquire(WAIT)) {
            assertThat(lease.name()).isEqualTo(name + "#6");
            assertThat(theirs.of("user:42").tryAcquire()).isEmpty();
            theirs.stripe(7).tryAcquire().orElseThrow().close();
        }
        theirs.ofAll(List.of("user:42", "user:43", "user:42")).acquire(WAIT).close();
        assertThatThrownBy(() -> mine.stripe(16)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.stripedLock(name, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSegmentedStockIsSoldToTheLastPieceAndNotBeyond() throws Exception {
        AtomicIntegerArray left = new AtomicIntegerArray(new int[] {5, 5, 5, 5});
        AtomicLongArray tokens = new AtomicLongArray(4);
        SegmentedStock.Segments segments = new SegmentedStock.Segments() {
            @Override
            public int left(int segment) {
                return left.get(segment);
            }

            @Override
            public boolean take(int segment, int quantity, long token) {
                assertThat(tokens.getAndSet(segment, token)).isLessThanOrEqualTo(token);
                int before = left.get(segment);
                boolean enough = before >= quantity;
                if (enough) {
                    left.set(segment, before - quantity); // not atomic: the lock has to do it
                }
                return enough;
            }
        };
        List<Future<Integer>> buyers = new ArrayList<>();
        for (int b = 0; b < 6; b++) {
            SegmentedStock stock = (b % 2 == 0 ? here : there).segmentedStock(name, 4, segments);
            String user = "user:" + b % 2;
            buyers.add(threads.submit(() -> {
                int bought = 0;
                while (stock.take(user, 1, WAIT).isPresent()) {
                    bought++;
                }
                return bought;
            }));
        }
        int sold = 0;
        for (Future<Integer> buyer : buyers) {
            sold += buyer.get(60, TimeUnit.SECONDS);
        }
        assertThat(sold).isEqualTo(20);
        assertThatThrownBy(() -> here.segmentedStock(name, 4, segments).take("u", 0, WAIT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void oneIsElectedAndTheOthersKnow() throws Exception {
        Election mine = here.election(name, TAKEN_LEASE);
        Election theirs = there.election(name, TAKEN_LEASE);
        List<String> seen = new CopyOnWriteArrayList<>();
        Election.Observation observation = theirs.observe(
                Duration.ofMillis(20),
                leader -> seen.add(leader.map(Election.Leader::value).orElse("nobody")));
        await().atMost(WAIT).until(() -> seen.equals(List.of("nobody")));
        Lease first = mine.campaign("10.0.0.1:80", WAIT);
        assertThat(theirs.leader().orElseThrow())
                .extracting(Election.Leader::value, Election.Leader::token)
                .containsExactly("10.0.0.1:80", first.token());
        assertThat(theirs.tryCampaign("10.0.0.2:80")).isEmpty();
        await().atMost(WAIT).until(() -> seen.equals(List.of("nobody", "10.0.0.1:80")));
        Future<Lease> next = threads.submit(() -> theirs.campaign("10.0.0.2:80", WAIT));
        awaitQueueOf(1);
        first.close();
        Lease second = next.get(25, TimeUnit.SECONDS);
        assertThat(second.token()).isGreaterThan(first.token());
        await().atMost(WAIT).until(() -> seen.contains("10.0.0.2:80"));
        observation.close();
        second.close();
        assertThat(mine.leader()).isEmpty();
        assertThatThrownBy(() -> mine.tryCampaign("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mine.observe(Duration.ZERO, leader -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCircleOfWaitersIsNamed() throws Exception {
        Lease mine = here.lock(name + "a").acquire(WAIT);
        for (Locks process : List.of(here, there)) {
            Future<?> other = threads.submit(() -> {
                try (Lease held = process.lock(name + "b").acquire(WAIT);
                        Lease never = process.lock(name + "a").acquire(WAIT)) {
                    return held.token() + never.token();
                }
            });
            await().atMost(WAIT).until(() -> holdersOf(name + "b") == 1);
            assertThatThrownBy(() -> here.lock(name + "b").acquire(Duration.ofSeconds(1)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("looks like a deadlock")
                    .hasMessageContaining(Thread.currentThread().getName() + " holds \"" + name + "a\" and waits for \""
                            + name + "b\"");
            other.cancel(true);
            await().atMost(WAIT).until(() -> holdersOf(name + "b") == 0);
        }
        threads.submit(() -> {
                    try (Lease held = there.lock(name + "b").acquire(WAIT)) {
                        assertThatThrownBy(() -> there.lock(name + "a").acquire(Duration.ofSeconds(1)))
                                .hasMessageNotContaining("deadlock");
                        return held.token();
                    }
                })
                .get(30, TimeUnit.SECONDS);
        mine.close();
    }

    @Test
    void aKeyIsLockedByItsThread() throws Exception {
        Locker mine = here.locker();
        Locker theirs = there.locker();
        mine.lock(name);
        assertThat(mine.tryLock(name, Duration.ZERO)).isTrue();
        mine.unlock(name);
        assertThat(theirs.isLocked(name)).isTrue();
        assertThat(theirs.tryLock(name)).isFalse();
        assertThat(theirs.tryLock(name, BRIEF)).isFalse();
        assertThatThrownBy(() -> theirs.unlock(name)).isInstanceOf(IllegalMonitorStateException.class);
        mine.unlock(name);
        assertThat(theirs.isLocked(name)).isFalse();

        assertThat(mine.tryLock(name, WAIT, LockOptions.LEASE_MIN.multipliedBy(3)))
                .isTrue();
        await().atMost(WAIT).until(() -> !theirs.isLocked(name));
        assertThatThrownBy(() -> mine.unlock(name)).isInstanceOf(LeaseLostException.class);
    }
}
