package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockEvent;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.Punctual;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What locks do when the line to their store loses a request, a reply or a push. */
class LockFaultsTest {
    private static final Duration WAIT = Duration.ofSeconds(25);
    private static final LockOptions SHORT_LEASE = LockOptions.DEFAULT.withLease(Duration.ofMillis(600));

    private final MemoryBackend backend = MemoryBackend.create();
    private final LossyLockStore lossy = new LossyLockStore(backend.lockStore());
    private final Locks locks = Locks.over(lossy);
    private final Locks others = backend.locks();

    @AfterEach
    void close() {
        locks.close();
        backend.close();
    }

    @Test
    void aLostReplyToAnAcquireIsAskedForAgainAndNothingIsHeldTwice() throws Exception {
        lossy.loseReplies.set(2);
        try (Lease lease = locks.lock("x").acquire(WAIT)) {
            LockView view = others.inspect("x").orElseThrow();
            assertThat(view.isHeldUnder(lease.token())).isTrue();
            assertThat(view.queue()).isEmpty();
        }
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aTryWhoseReplyIsLostIsAskedForAgainToo() {
        lossy.loseReplies.set(1);
        locks.lock("x").tryAcquire().orElseThrow().close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aTryThatNeverHearsGivesBackWhatItMayHaveGot() {
        lossy.loseReplies.set(3);
        assertThatThrownBy(() -> locks.lock("x").tryAcquire()).isInstanceOf(dev.tenon.OutcomeUnknownException.class);
        await().atMost(WAIT).until(() -> others.inspect("x").isEmpty());
    }

    @Test
    void aLostReplyStaysUnknownThoughTheStoreIsAwayAfterwards() {
        lossy.loseReplies.set(1);
        lossy.onLostReply = () -> lossy.loseRequests.set(Integer.MAX_VALUE);
        assertThatThrownBy(() -> locks.lock("x").acquire(Duration.ofMillis(300)))
                .isInstanceOf(dev.tenon.OutcomeUnknownException.class);
        assertThat(others.inspect("x")).isPresent();
        lossy.loseRequests.set(0);
        await().atMost(WAIT).until(() -> others.inspect("x").isEmpty());
    }

    @Test
    void aStoreThatIsDownFailsATryAndIsWaitedForByAnAcquire() throws Exception {
        lossy.loseRequests.set(3);
        assertThatThrownBy(() -> locks.lock("x").tryAcquire()).isInstanceOf(BackendUnavailableException.class);
        lossy.loseRequests.set(5);
        locks.lock("x").acquire(WAIT).close();
    }

    @Test
    void anAcquireFailsWithTheStoresErrorWhenTheTimeIsOver() {
        lossy.loseRequests.set(Integer.MAX_VALUE);
        assertThatThrownBy(() -> locks.lock("x").acquire(Duration.ofMillis(300)))
                .isInstanceOf(BackendUnavailableException.class);
        lossy.loseRequests.set(0);
        await().atMost(WAIT)
                .until(() -> locks.lock("x").tryAcquire().map(this::closed).isPresent());
    }

    @Test
    void aLostPushIsFoundByTheRecheck() throws Exception {
        Lease held = others.lock("x", SHORT_LEASE).acquire(WAIT);
        lossy.losePushes.set(1);
        CompletableFuture<Lease> waiter = locks.lock("x").acquireAsync(WAIT).toCompletableFuture();
        await().until(() -> waiter.isDone() // its lease is over, on a machine that stood still
                || !others.inspect("x").orElseThrow().queue().isEmpty());
        held.close();
        assertThat(waiter).succeedsWithin(WAIT).satisfies(Lease::close);
    }

    @Test
    void aLostPushIsFoundAtOnceWhenTheStoreAsksForAResync() throws Exception {
        Punctual.judge(Duration.ofMillis(500), () -> others.inspect("x"), () -> {
            String name = "x-" + UUID.randomUUID();
            Lease held = others.lock(name).acquire(WAIT);
            lossy.losePushes.set(1);
            CompletableFuture<Lease> waiter =
                    locks.lock(name).acquireAsync(WAIT).toCompletableFuture();
            await().until(() -> !others.inspect(name).orElseThrow().queue().isEmpty());
            held.close();
            StoreEvents events = Objects.requireNonNull(lossy.events);
            events.resync();
            assertThat(waiter).succeedsWithin(Duration.ofSeconds(2)).satisfies(Lease::close);
        });
    }

    @Test
    void aGrantThatIsHeardOfTwiceIsKept() throws Exception {
        Lease held = others.lock("x").acquire(WAIT);
        lossy.repeatPushes.set(1);
        CompletableFuture<Lease> waiter = locks.lock("x").acquireAsync(WAIT).toCompletableFuture();
        await().until(() -> !others.inspect("x").orElseThrow().queue().isEmpty());
        held.close();
        assertThat(waiter).succeedsWithin(WAIT).satisfies(lease -> {
            assertThat(lossy.repeatPushes).hasValue(0);
            assertThat(others.validate("x", lease.token())).isTrue();
            lease.close();
        });
    }

    @Test
    void aRequestThatItsOwnCancellationOvertookLeavesTheQueueAgain() throws Exception {
        Lease held = others.lock("x").acquire(WAIT);
        CompletableFuture<Void> line = new CompletableFuture<>();
        lossy.holdAcquire = line;
        int before = lossy.calls.get();
        Thread waiter = new Thread(() -> {
            try {
                locks.lock("x").acquire(Duration.ofMinutes(1)).close();
            } catch (InterruptedException expected) {
                Thread.currentThread().interrupt();
            }
        });
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.WAITING);
        waiter.interrupt();
        await().until(() -> lossy.calls.get() > before);
        line.complete(null);
        await().atMost(WAIT)
                .until(() -> others.inspect("x").orElseThrow().queue().isEmpty());
        held.close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aWaitThatIsOverTakesItsRequestOutOfTheQueueThoughItsFirstCancellationIsLost() throws Exception {
        ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
        try (MemoryBackend manual = MemoryBackend.on(clock)) { // it ends no wait by itself
            LossyLockStore losing = new LossyLockStore(manual.lockStore());
            try (Locks waiting = Locks.over(losing, "test", clock);
                    Lease held = manual.locks().lock("x").acquire(WAIT)) {
                CompletableFuture<Void> line = new CompletableFuture<>();
                losing.holdCancel = line;
                CompletableFuture<Optional<Lease>> nothing = CompletableFuture.supplyAsync(() -> {
                    try {
                        return waiting.lock("x").tryAcquire(Duration.ofMillis(50));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                await().atMost(WAIT).until(() -> line.getNumberOfDependents() > 0);
                assertThat(waiting.inspect("x").orElseThrow().queue()).hasSize(1);
                losing.loseRequests.set(1);
                line.complete(null);
                assertThat(nothing).succeedsWithin(WAIT).isEqualTo(Optional.empty());
                assertThat(losing.loseRequests).hasValue(0);
                assertThat(waiting.inspect("x").orElseThrow().queue()).isEmpty();
                assertThat(held.state()).isEqualTo(Lease.State.HELD);
            }
        }
    }

    @Test
    void anInterruptedWaiterReturnsWhenTheStoreHasNothingOfItAnyMore() throws Exception {
        Punctual.judge(Duration.ofMillis(500), () -> others.inspect("x"), () -> {
            CompletableFuture<Void> line = new CompletableFuture<>();
            Thread waiter = interruptedWhileItsRequestIsOnItsWay(line);
            await().pollInterval(Duration.ofMillis(5)).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
            line.complete(null);
            waiter.join(25_000);
            assertThat(waiter.isAlive()).isFalse();
            assertThat(others.inspect("x")).isEmpty();
        });
    }

    @Test
    void anInterruptedWaiterReturnsThoughTheStoreDoesNotAnswerAndAtOnceAtTheNextInterrupt() throws Exception {
        CompletableFuture<Void> line = new CompletableFuture<>();
        Thread patient = interruptedWhileItsRequestIsOnItsWay(line);
        patient.join(25_000);
        assertThat(patient.isAlive()).isFalse();

        Punctual.judge(Duration.ofMillis(500), () -> others.inspect("x"), () -> {
            Thread waiter = interruptedWhileItsRequestIsOnItsWay(line);
            await().pollInterval(Duration.ofMillis(5)).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
            AwakeTime since = AwakeTime.start();
            waiter.interrupt();
            waiter.join(25_000);
            assertThat(since.elapsed()).isLessThan(Duration.ofSeconds(1));
        });
        line.complete(null);
        await().atMost(WAIT).until(() -> others.inspect("x").isEmpty());
    }

    private Thread interruptedWhileItsRequestIsOnItsWay(CompletableFuture<Void> line) {
        lossy.holdAcquire = line;
        Thread waiter = new Thread(() -> {
            try {
                locks.lock("x").acquire(Duration.ofMinutes(1)).close();
            } catch (InterruptedException expected) {
                assertThat(Thread.interrupted()).isFalse();
            }
        });
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.WAITING);
        waiter.interrupt();
        return waiter;
    }

    @Test
    void aRequestThatItsOwnCancellationOvertookGivesBackWhatItGotThoughItsReplyIsLost() {
        CompletableFuture<Void> line = new CompletableFuture<>();
        lossy.holdAcquire = line;
        int before = lossy.calls.get();
        CompletableFuture<Lease> waiter =
                locks.lock("x").acquireAsync(Duration.ofMillis(50)).toCompletableFuture();
        assertThat(waiter).failsWithin(WAIT);
        await().until(() -> lossy.calls.get() > before); // the cancellation: the store knows of nothing

        lossy.loseReplies.set(1);
        lossy.holdAcquire = null;
        line.complete(null);

        await().atMost(WAIT).until(() -> others.inspect("x").isEmpty());
        assertThat(lossy.loseReplies).hasValue(0);
    }

    @Test
    void aFailingRenewalMakesALeaseSuspectAndASucceedingOneMakesItHeld() throws Exception {
        List<LockEvent.Kind> told = new CopyOnWriteArrayList<>();
        locks.listen(event -> told.add(event.kind()));
        Lease lease = locks.lock("x", SHORT_LEASE).acquire(WAIT);
        lossy.loseRequests.set(3);
        await().atMost(WAIT).until(() -> told.contains(LockEvent.Kind.SUSPECT)); // the state itself is over in a moment
        await().atMost(WAIT).until(() -> lease.state() == Lease.State.HELD);
        assertThat(others.validate("x", lease.token())).isTrue();
        await().atMost(WAIT)
                .until(() ->
                        told.equals(List.of(LockEvent.Kind.GRANTED, LockEvent.Kind.SUSPECT, LockEvent.Kind.RECOVERED)));
        lease.close();
    }

    @Test
    void aLeaseThatCannotBeRenewedIsLostAndSaysSo() throws Exception {
        Lease lease = locks.lock("x", SHORT_LEASE).acquire(WAIT);
        lossy.loseRequests.set(Integer.MAX_VALUE);
        assertThat(lease.lost().toCompletableFuture()).succeedsWithin(WAIT);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        others.lock("x").acquire(WAIT).close();
    }

    @Test
    void aRenewalThatThereIsNoThreadForIsNotTheLast() throws Exception {
        ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
        try (MemoryBackend manual = MemoryBackend.on(clock)) {
            LossyLockStore breaking = new LossyLockStore(manual.lockStore());
            try (Locks owned = Locks.over(breaking, "test", clock)) {
                Lease lease = owned.lock("x", SHORT_LEASE).acquire(WAIT);
                breaking.breakRenewals.set(1);
                clock.advance(SHORT_LEASE.lease().dividedBy(2));
                await().atMost(WAIT).until(() -> breaking.breakRenewals.get() == 0);
                clock.advance(SHORT_LEASE.lease().dividedBy(4));
                await().atMost(WAIT)
                        .until(() ->
                                lease.remaining().compareTo(SHORT_LEASE.lease().dividedBy(2)) > 0);
                assertThat(owned.validate("x", lease.token())).isTrue();
            }
        }
    }

    @Test
    void aSessionThatTheStoreEndsLosesItsLeasesAndTheNextAcquireOpensAnother() throws Exception {
        Lease lease = locks.lock("x").acquire(WAIT);
        String session =
                others.inspect("x").orElseThrow().holder().orElseThrow().sessionId();
        backend.lockStore().closeSession(session);
        Objects.requireNonNull(lossy.events).sessionLost(session);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        locks.lock("x").acquire(WAIT).close();
    }

    @Test
    void aForgottenSessionIsReplacedWithoutAWord() throws Exception {
        locks.lock("x").acquire(WAIT).close();
        Lease lease = locks.lock("y").acquire(WAIT);
        String session =
                others.inspect("y").orElseThrow().holder().orElseThrow().sessionId();
        lease.close();
        backend.lockStore().closeSession(session);
        locks.lock("x").acquire(WAIT).close();
    }

    @Test
    void aLeaseCountsFromBeforeItWasAskedForOnTheMonotonicClockOnly() throws Exception {
        ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
        try (MemoryBackend manual = MemoryBackend.on(clock);
                Locks owned = Locks.over(manual.lockStore(), "test", clock)) {
            Lease lease = owned.lock("x").acquire(WAIT);
            clock.setWall(Instant.parse("2036-01-01T00:00:00Z"));
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            clock.setWall(Instant.parse("2016-01-01T00:00:00Z"));
            clock.advance(Duration.ofSeconds(29));
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            assertThat(owned.validate("x", lease.token())).isTrue();
            clock.advance(Duration.ofMillis(900));
            assertThat(lease.state()).isEqualTo(Lease.State.LOST);
            assertThat(owned.validate("x", lease.token())).isTrue();
            clock.advance(Duration.ofMillis(100));
            assertThat(owned.validate("x", lease.token())).isFalse();
        }
    }

    @Test
    void whoStandsInLineWhenLocksAreClosedIsToldAndNothingIsAskedOfTheStore() throws Exception {
        Lease held = others.lock("x").acquire(WAIT);
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            waiters.add(locks.lock("x").acquireAsync(Duration.ofMinutes(5)).toCompletableFuture());
        }
        await().until(() -> !others.inspect("x").orElseThrow().queue().isEmpty());
        int before = lossy.calls.get();
        locks.close();
        for (CompletableFuture<Lease> waiter : waiters) {
            assertThat(waiter).failsWithin(WAIT);
        }
        assertThat(lossy.calls.get() - before).isLessThan(10);
        assertThat(others.inspect("x").orElseThrow().queue()).isEmpty();
        held.close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void reentryCostsNoCall() {
        var lock = locks.lock("x").asJavaLock();
        lock.lock();
        int before = lossy.calls.get();
        for (int i = 0; i < 100; i++) {
            lock.lock();
        }
        for (int i = 0; i < 100; i++) {
            lock.unlock();
        }
        assertThat(lossy.calls.get()).isEqualTo(before);
        lock.unlock();
    }

    private Lease closed(Lease lease) {
        lease.close();
        return lease;
    }
}
