package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.ManualClock;
import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.DistributedReadWriteLock;
import dev.tenon.lock.Election;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.LockTimeoutException;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes from thread to thread inside a process, and what goes back to the store. */
class LocalHandOverTest {
    private static final LockOptions HANDED_OVER = LockOptions.DEFAULT;

    private static final Duration WAIT = Duration.ofSeconds(25);

    private final MemoryBackend backend = MemoryBackend.create();
    private final LossyLockStore store = new LossyLockStore(backend.lockStore());
    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final Locks locks = Locks.over(store, "me", clock);
    private final Locks others = Locks.over(backend.lockStore());

    @AfterEach
    void close() {
        locks.close();
        others.close();
        backend.close();
    }

    @Test
    void theNextInLineGetsTheLeaseWithoutARoundTrip() {
        Lease first = locks.lock("x", HANDED_OVER).tryAcquire().orElseThrow();
        CompletableFuture<Lease> second = waiterFor(locks.lock("x", HANDED_OVER));
        int calls = store.calls.get();
        first.close();
        assertThat(second).succeedsWithin(WAIT);
        assertThat(store.calls.get()).isEqualTo(calls);
        Lease next = second.join();
        assertThat(next.token()).isEqualTo(first.token() + 1);
        assertThat(next.state()).isEqualTo(Lease.State.HELD);
        assertThat(first.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(others.validate("x", next.token())).isTrue();
        assertThat(locks.validate("x", next.token())).isTrue();
        assertThat(locks.validate("x", first.token())).isFalse();
        assertThat(locks.validate("x", next.token() + 1)).isFalse();
        first.close();
        assertThat(others.lock("x").tryAcquire()).isEmpty();
        next.close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void otherProcessesGetTheirTurnAfter31Hands() {
        Deque<CompletableFuture<Lease>> line = lineOf(40);
        Lease held = line.removeFirst().join();
        CompletableFuture<Lease> stranger = waiterFor(others.lock("x"));
        for (int hand = 0; hand < 31; hand++) {
            assertThat(stranger).isNotDone();
            long before = held.token();
            held.close();
            held = line.removeFirst().join();
            assertThat(held.token()).isEqualTo(before + 1);
        }
        held.close();
        assertThat(stranger).succeedsWithin(WAIT);
        assertThat(stranger.join().token()).isGreaterThan(held.token());
        stranger.join().close();
        Lease next = line.removeFirst().join();
        assertThat(next.token()).isGreaterThan(stranger.join().token());
        next.close();
    }

    @Test
    void otherProcessesGetTheirTurnAfter100Milliseconds() {
        Deque<CompletableFuture<Lease>> line = lineOf(4);
        line.removeFirst().join().close();
        Lease held = line.removeFirst().join();
        CompletableFuture<Lease> stranger = waiterFor(others.lock("x"));
        clock.advance(Duration.ofMillis(99));
        held.close();
        held = line.removeFirst().join();
        assertThat(stranger).isNotDone();
        clock.advance(Duration.ofMillis(1));
        held.close();
        assertThat(stranger).succeedsWithin(WAIT);
    }

    private Deque<CompletableFuture<Lease>> lineOf(int length) {
        Deque<CompletableFuture<Lease>> line = new ArrayDeque<>();
        for (int i = 0; i < length; i++) {
            line.add(waiterFor(locks.lock("x", HANDED_OVER)));
        }
        return line;
    }

    @Test
    void whoWantsItOtherwiseAsksTheStore() {
        LockOptions never = LockOptions.DEFAULT.withoutLocalHandOver();
        LockOptions shorter = HANDED_OVER.withLease(Duration.ofSeconds(5));
        for (LockOptions options : new LockOptions[] {never, shorter, HANDED_OVER.withoutRenewal()}) {
            Lease first = locks.lock("x", options).tryAcquire().orElseThrow();
            boolean same = options != shorter;
            CompletableFuture<Lease> second = waiterFor(locks.lock("x", same ? options : HANDED_OVER));
            first.close();
            assertThat(second).succeedsWithin(WAIT);
            assertThat(second.join().token()).isGreaterThanOrEqualTo(first.token() + LockMachine.TOKEN_STRIDE);
            second.join().close();
        }
    }

    @Test
    void whatIsWantedBackGoesBack() {
        Lease first = locks.lock("x", HANDED_OVER).tryAcquire().orElseThrow();
        CompletableFuture<Lease> second = waiterFor(locks.lock("x", HANDED_OVER));
        others.revoke("x", "operator");
        first.close();
        assertThat(second).succeedsWithin(WAIT);
        assertThat(second.join().token()).isGreaterThanOrEqualTo(first.token() + LockMachine.TOKEN_STRIDE);
    }

    @Test
    void theStoreKnowsWhoWasHandedTheLeaseByItsFirstToken() throws Exception {
        LockOptions brief = HANDED_OVER.withLease(Duration.ofSeconds(1));
        DistributedReadWriteLock lock = locks.readWriteLock("x", brief);
        Lease first = lock.writeLock().tryAcquire().orElseThrow();
        CompletableFuture<Lease> second = waiterFor(lock.writeLock());
        first.close();
        Lease handed = second.join();
        assertThat(handed.token()).isEqualTo(first.token() + 1);
        clock.advance(Duration.ofMillis(500)); // due for renewal
        await().atMost(WAIT).until(() -> handed.remaining().compareTo(Duration.ofMillis(900)) > 0);
        others.revoke("x", "operator");
        assertThat(handed.revokeAsked().toCompletableFuture())
                .succeedsWithin(WAIT)
                .isEqualTo("operator");
        Lease weaker = lock.downgradeToRead(handed);
        assertThat(weaker.token()).isGreaterThanOrEqualTo(first.token() + LockMachine.TOKEN_STRIDE);
        assertThat(handed.state()).isEqualTo(Lease.State.RELEASED);
        weaker.close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aCandidateIsNeverHandedTheLead() {
        Lease first = locks.election("x").tryCampaign("a").orElseThrow();
        CompletableFuture<Lease> second = CompletableFuture.supplyAsync(() -> {
            try {
                return locks.election("x").campaign("b", WAIT);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        first.close();
        assertThat(second).succeedsWithin(WAIT);
        assertThat(locks.election("x").leader().orElseThrow())
                .extracting(Election.Leader::value, Election.Leader::token)
                .containsExactly("b", second.join().token());
        assertThat(second.join().token()).isGreaterThanOrEqualTo(first.token() + LockMachine.TOKEN_STRIDE);
    }

    @Test
    void whoLeftTheLineGetsNothingAndTheNextOneDoes() throws Exception {
        Lease first = locks.lock("x", HANDED_OVER).tryAcquire().orElseThrow();
        assertThat(locks.lock("x", HANDED_OVER).tryAcquire(Duration.ofMillis(20)))
                .isEmpty();
        CompletableFuture<Lease> second = waiterFor(locks.lock("x", HANDED_OVER));
        first.close();
        assertThat(second).succeedsWithin(WAIT);
        second.join().close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aSessionThatIsLostIsLostForWhoWasHandedTheLease() {
        Lease first = locks.lock("x", HANDED_OVER).tryAcquire().orElseThrow();
        CompletableFuture<Lease> second = waiterFor(locks.lock("x", HANDED_OVER));
        String session =
                others.inspect("x").orElseThrow().holder().orElseThrow().sessionId();
        first.close();
        assertThat(second).succeedsWithin(WAIT);
        StoreEvents events = Objects.requireNonNull(store.events);
        events.sessionLost(session);
        assertThat(second.join().state()).isEqualTo(Lease.State.LOST);
    }

    @Test
    void anInterruptedThreadReturnsWhenTheNextInLineMayAsk() throws Exception {
        Lease held = others.lock("x").acquire(WAIT);
        Thread interrupted = new Thread(() -> {
            try {
                locks.lock("x").acquire(WAIT).close();
            } catch (InterruptedException expected) {
                // the end of the thread
            }
        });
        interrupted.start();
        await().atMost(WAIT)
                .until(() -> !others.inspect("x").orElseThrow().queue().isEmpty());
        CompletableFuture<Lease> next = waiterFor(locks.lock("x"));
        CompletableFuture<Void> answered = new CompletableFuture<>();
        store.holdCancel = answered;
        AtomicBoolean waited = new AtomicBoolean();
        store.onAcquire = () -> {
            await().during(Duration.ofMillis(200)).atMost(WAIT).until(interrupted::isAlive);
            waited.set(true);
        };
        interrupted.interrupt();
        await().atMost(WAIT).until(() -> interrupted.getState() == Thread.State.TIMED_WAITING);
        answered.complete(null);
        assertThat(waited).isTrue();
        interrupted.join(WAIT.toMillis());
        assertThat(interrupted.isAlive()).isFalse();
        held.close();
        assertThat(next).succeedsWithin(WAIT);
    }

    @Test
    void aWaitThatEndsWithNothingHasNothingUnderWayAnyMore() throws Exception {
        Lease held = others.lock("x").acquire(WAIT);
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        store.holdCancel = cancelled;
        CompletableFuture<Lease> brief =
                locks.lock("x").acquireAsync(Duration.ofSeconds(1)).toCompletableFuture();
        await().atMost(WAIT)
                .until(() -> !others.inspect("x").orElseThrow().queue().isEmpty());
        CompletableFuture<Void> repeated = new CompletableFuture<>();
        store.holdAcquire = repeated;
        Objects.requireNonNull(store.events).resync();
        CompletableFuture<Lease> next = waiterFor(locks.lock("x"));
        AtomicBoolean nextAsks = new AtomicBoolean();
        store.onAcquire = () -> nextAsks.set(true);
        await().atMost(WAIT).until(() -> cancelled.getNumberOfDependents() > 0);
        assertThat(repeated.getNumberOfDependents()).isPositive();

        cancelled.complete(null); // before the request that was repeated reaches the store
        boolean early = nextAsks.get();
        repeated.complete(null);
        assertThat(early).isFalse();
        assertThat(nextAsks).isTrue();
        assertThat(brief).failsWithin(WAIT).withThrowableThat().withCauseInstanceOf(LockTimeoutException.class);
        held.close();
        assertThat(next).succeedsWithin(WAIT);
    }

    private static CompletableFuture<Lease> waiterFor(DistributedLock lock) {
        return lock.acquireAsync(WAIT).toCompletableFuture();
    }
}
