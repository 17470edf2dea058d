package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The part of {@link LockStoreContract} that is about waiting: the queue, the hand-over, those who give up. */
public abstract class LockQueueContract extends LockStoreScenario {
    @Test
    void aRepeatedRequestIsQueuedOnce() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        assertThat(queued(otherStore().acquire(waiting)).ahead()).isZero();
        assertThat(queued(otherStore().acquire(waiting)).ahead()).isZero();
        assertThat(join(store().inspect(name)).orElseThrow().queue()).hasSize(1);
        release(store(), token);
        Grant grant = bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
        assertThat(granted(otherStore().acquire(waiting)).token()).isEqualTo(grant.token());
    }

    @Test
    void aReleaseHandsTheLockToTheHeadOfTheQueueAndTellsOnlyIt() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire first = request(bob, LEASE, WAIT);
        Acquire second = request(alice, LEASE, WAIT);
        assertThat(queued(otherStore().acquire(first)).ahead()).isZero();
        assertThat(queued(store().acquire(second)).ahead()).isEqualTo(1);

        assertThat(release(store(), token)).isEqualTo(Released.HANDED_OVER);
        Grant grant = bobEvents.awaitGrantOf(first.requestId(), PATIENCE);
        assertThat(grant.name()).isEqualTo(name);
        assertThat(grant.sessionId()).isEqualTo(bob);
        assertThat(grant.token()).isGreaterThan(token);
        assertThat(grant.lease()).isPositive().isLessThanOrEqualTo(LockMachine.CLAIM_LEASE);
        assertThat(grant.sinceQueued()).isBetween(Duration.ZERO, PATIENCE);
        assertThat(aliceEvents.grants()).isEmpty();

        assertThat(release(otherStore(), grant.token())).isEqualTo(Released.HANDED_OVER);
        Grant last = aliceEvents.awaitGrantOf(second.requestId(), PATIENCE);
        assertThat(last.token()).isGreaterThan(grant.token());
        assertThat(release(store(), last.token())).isEqualTo(Released.FREED);
    }

    @Test
    void nobodyOvertakesTheQueue() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        release(store(), token);
        assertThat(join(store().acquire(request(alice, LEASE, Duration.ZERO)))).isInstanceOf(Outcome.Busy.class);
        bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
    }

    @Test
    void aWaiterGetsTheLockOfAnExpiredHolder() throws Exception {
        whileCallsAreInTime(() -> {
            granted(store().acquire(request(alice, SHORT, Duration.ZERO)));
            Acquire waiting = request(bob, LEASE, WAIT);
            Outcome.Queued queued = queued(otherStore().acquire(waiting));
            assertThat(queued.recheckAfter()).isLessThanOrEqualTo(SHORT.plusSeconds(1));
            // Either the store tells by itself, or repeating the request after recheckAfter does.
            await().pollDelay(SHORT)
                    .atMost(PATIENCE)
                    .until(() -> bobEvents.grantOf(waiting.requestId()).isPresent()
                            || join(otherStore().acquire(waiting)) instanceof Outcome.Granted);
        });
    }

    @Test
    void anUnclaimedGrantPassesOn() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire first = request(bob, SHORT, WAIT);
        Acquire second = request(alice, LEASE, WAIT);
        queued(otherStore().acquire(first));
        queued(store().acquire(second));
        release(store(), token);
        Grant grant = bobEvents.awaitGrantOf(first.requestId(), PATIENCE);
        await().pollDelay(SHORT)
                .atMost(PATIENCE)
                .until(() -> aliceEvents.grantOf(second.requestId()).isPresent()
                        || join(store().acquire(second)) instanceof Outcome.Granted);
        assertThat(holder().token()).isGreaterThan(grant.token());
    }

    @Test
    void aCancelledWaiterIsPassedOver() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire first = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(first));
        assertThat(join(otherStore().cancel(new Cancel(name, first.requestId()))))
                .isEqualTo(new Cancelled.Gone());
        assertThat(join(otherStore().cancel(new Cancel(name, first.requestId()))))
                .isEqualTo(new Cancelled.Gone());
        assertThat(release(store(), token)).isEqualTo(Released.FREED);
        assertThat(bobEvents.grants()).isEmpty();
    }

    @Test
    void aLateCancelTellsOfTheGrant() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        release(store(), token);
        Grant grant = bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
        assertThat(join(otherStore().cancel(new Cancel(name, waiting.requestId()))))
                .isInstanceOfSatisfying(Cancelled.WasGranted.class, g -> {
                    assertThat(g.token()).isEqualTo(grant.token());
                    assertThat(g.lease()).isPositive();
                });
        assertThat(release(otherStore(), grant.token())).isEqualTo(Released.FREED);
    }

    @Test
    void aWaiterWhoseTimeIsOverIsPassedOver() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        queued(otherStore().acquire(request(bob, LEASE, SHORT)));
        await().atMost(PATIENCE)
                .until(() -> join(store().inspect(name)).orElseThrow().queue().isEmpty());
        assertThat(release(store(), token)).isEqualTo(Released.FREED);
        assertThat(bobEvents.grants()).isEmpty();
    }

    @Test
    void anEvictionHandsTheLockOn() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        long floor = join(store().evict(name, token, "stuck")).orElseThrow();
        assertThat(bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE).token())
                .isGreaterThan(floor);
    }

    @Test
    void anInspectionShowsHolderAndQueue() {
        assertThat(join(store().inspect(name))).isEmpty();
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        queued(otherStore().acquire(request(bob, LEASE, WAIT)));
        LockView view = join(store().inspect(name)).orElseThrow();
        assertThat(view.name()).isEqualTo(name);
        assertThat(view.token()).isEqualTo(token);
        assertThat(view.isHeldUnder(token)).isTrue();
        assertThat(view.isHeldUnder(token + LockMachine.TOKEN_STRIDE - 1)).isTrue();
        assertThat(view.isHeldUnder(token + LockMachine.TOKEN_STRIDE)).isFalse();
        assertThat(view.isHeldUnder(token - 1)).isFalse();
        LockView.HolderView holder = view.holder().orElseThrow();
        assertThat(holder.sessionId()).isEqualTo(alice);
        assertThat(holder.owner()).isEqualTo("owner of " + alice);
        assertThat(holder.leaseLeft()).isBetween(LEASE.minusSeconds(5), LEASE);
        assertThat(view.queue()).singleElement().satisfies(w -> {
            assertThat(w.sessionId()).isEqualTo(bob);
            assertThat(w.owner()).isEqualTo("owner of " + bob);
            assertThat(w.waitLeft()).isBetween(WAIT.minusSeconds(5), WAIT);
            assertThat(w.since()).isAfterOrEqualTo(holder.since());
        });
    }

    @Test
    void manyThreadsAreNeverInTheCriticalSectionTogether() throws Exception {
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        AtomicLong inside = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                boolean odd = t % 2 == 1;
                runs.add(threads.submit(() -> {
                    for (int i = 0; i < 10; i++) {
                        LockStore store = odd ? otherStore() : store();
                        RecordedEvents events = odd ? bobEvents : aliceEvents;
                        Acquire request = request(odd ? bob : alice, LEASE, WAIT);
                        Outcome outcome = join(store.acquire(request));
                        long token = outcome instanceof Outcome.Granted granted
                                ? granted.token()
                                : events.awaitGrantOf(request.requestId(), PATIENCE)
                                        .token();
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        assertThat(tokens.add(token)).isTrue();
                        inside.decrementAndGet();
                        assertThat(release(store, token)).isNotEqualTo(Released.NOT_HELD);
                    }
                }));
            }
            for (Future<?> run : runs) {
                run.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(tokens).hasSize(80);
        assertThat(join(store().inspect(name))).isEmpty();
    }
}
