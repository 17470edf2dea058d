package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.DistributedLatch;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockEvent;
import dev.tenon.lock.LockEvent.Kind;
import dev.tenon.lock.LockTimeoutException;
import dev.tenon.lock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link DistributedLockContract} that is about barriers, latches, waits that are cancelled, and events.
 */
public abstract class LockCoordinationContract extends ReadWriteLockContract {
    @Test
    void aBarrierOpensForAllWhenTheLastHasCome() throws Exception {
        List<Future<?>> parties = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            Locks process = p == 0 ? here : there;
            parties.add(threads.submit(() -> {
                process.barrier(name, 3).await(WAIT);
                return null;
            }));
        }
        await().atMost(WAIT).until(() -> holdersOf(name) == 2);
        assertThat(parties).noneMatch(Future::isDone);
        there.barrier(name, 3).await(WAIT);
        for (Future<?> party : parties) {
            party.get(25, TimeUnit.SECONDS);
        }
        assertThat(here.inspect(name)).isEmpty();
        assertThatThrownBy(() -> here.barrier(name, 2).await(BRIEF))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(name);
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void aBarrierHoldsThePartiesOfOneRoundOnly() throws Exception {
        Future<?> ahead = threads.submit(() -> {
            here.barrier(name, 2).await(1, WAIT);
            here.barrier(name, 2).await(2, WAIT);
            return null;
        });
        assertThatThrownBy(() -> there.barrier(name, 2).await(3, BRIEF)).isInstanceOf(LockTimeoutException.class);
        there.barrier(name, 2).await(1, WAIT);
        await().atMost(WAIT).until(() -> holdersOf(name + "#2") == 1);
        assertThat(ahead).isNotDone();
        there.barrier(name, 2).await(2, WAIT);
        ahead.get(25, TimeUnit.SECONDS);
    }

    @Test
    void aLatchOpensWhenEveryPartyHasCountedOnce() throws Exception {
        DistributedLatch mine = here.latch(name);
        DistributedLatch theirs = there.latch(name);
        assertThat(theirs.countDown("a")).as("before it has begun").isFalse();
        try (DistributedLatch.Countdown countdown = mine.begin(List.of("a", "b", "c"), WAIT)) {
            assertThat(theirs.countDown("a")).isTrue();
            assertThat(theirs.countDown("a"))
                    .as("again, as after a lost answer")
                    .isTrue();
            assertThat(theirs.countDown("d")).as("no party").isFalse();
            assertThat(mine.countDown("b")).isTrue();
            await().atMost(WAIT).until(() -> {
                assertThatThrownBy(() -> countdown.await(BRIEF))
                        .isInstanceOf(LockTimeoutException.class)
                        .hasMessageContaining("c");
                return countdown.missing().equals(Set.of("c"));
            });
            Future<?> waiter = threads.submit(() -> {
                countdown.await(WAIT);
                return null;
            });
            assertThatThrownBy(() -> there.latch(name).begin(List.of("c"), BRIEF))
                    .isInstanceOf(LockTimeoutException.class);
            assertThat(waiter).isNotDone();
            assertThat(theirs.countDown("c")).isTrue();
            waiter.get(25, TimeUnit.SECONDS);
            countdown.await(BRIEF);
            assertThat(countdown.missing()).isEmpty();
        }
        assertThat(theirs.countDown("a")).as("after it is over").isFalse();
        assertThatThrownBy(() -> mine.begin(List.of(), WAIT)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mine.countDown("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCountThatTheStoreLostDoesNotOpenTheLatch() throws Exception {
        DistributedLatch.Countdown countdown = here.latch(name).begin(List.of("a", "b"), WAIT);
        assertThat(there.latch(name).countDown("a")).isTrue();
        long token = there.inspect(name + "#b").orElseThrow().token();
        assertThat(there.evict(name + "#b", token, "test")).isPresent();
        assertThatThrownBy(() -> countdown.await(WAIT))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(name + "#b");
        countdown.close();
        assertThat(there.latch(name).countDown("a")).isFalse();
    }

    @Test
    void theCountEndsWithTheProcessThatKeepsIt() throws Exception {
        Locks leaving = Locks.over(store());
        DistributedLatch.Countdown countdown = leaving.latch(name).begin(List.of("a"), WAIT);
        leaving.close();
        assertThat(there.latch(name).countDown("a")).isFalse();
        assertThatThrownBy(() -> countdown.await(WAIT)).isInstanceOf(LeaseLostException.class);
        there.latch(name).begin(List.of("a"), WAIT).close();
    }

    @Test
    void aWaitThatIsCancelledLeavesTheQueue() throws Exception {
        Lease held = here.lock(name).acquire(WAIT);
        CompletableFuture<Lease> theirs = there.lock(name).acquireAsync(WAIT).toCompletableFuture();
        awaitQueueOf(1);
        CompletableFuture<Lease> inLine = there.lock(name).acquireAsync(WAIT).toCompletableFuture();
        assertThat(inLine.cancel(false)).isTrue();
        assertThat(theirs.cancel(false)).isTrue();
        awaitQueueOf(0);
        assertThat(held.state()).isEqualTo(Lease.State.HELD);
        held.close();
        there.lock(name).tryAcquire(WAIT).orElseThrow().close();
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void aGrantThatMeetsACancellationIsGivenBack() throws Exception {
        for (int round = 0; round < 20; round++) {
            boolean free = round % 2 == 0;
            Lease held = free ? null : here.lock(name).acquire(WAIT);
            CompletableFuture<Lease> waiter =
                    there.lock(name).acquireAsync(WAIT).toCompletableFuture();
            if (held != null) {
                awaitQueueOf(1);
                threads.submit(held::close);
            }
            if (!waiter.cancel(false)) {
                waiter.join().close();
            }
            await().atMost(WAIT)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> here.inspect(name).isEmpty());
        }
    }

    @Test
    void permitsAreWaitedForWithoutAThread() throws Exception {
        Lease held = here.semaphore(name, 2).acquire(WAIT);
        CompletableFuture<Lease> both =
                there.semaphore(name, 2).acquireAsync(2, WAIT).toCompletableFuture();
        awaitQueueOf(1);
        held.close();
        assertThat(both).succeedsWithin(WAIT).satisfies(Lease::close);
    }

    @Test
    void whatHappensToALeaseIsTold() throws Exception {
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        LockEvent.Subscription subscription = here.listen(events::add);
        Lease released = here.lock(name).acquire(WAIT);
        released.close();
        Lease lost = here.lock(name, TAKEN_LEASE).acquire(WAIT);
        assertThat(there.revoke(name, "an operator")).isEqualTo(1);
        await().atMost(WAIT)
                .until(() -> lost.revokeAsked().toCompletableFuture().isDone());
        assertThat(there.evict(name, lost.token(), "test")).isPresent();
        await().atMost(WAIT).until(() -> events.stream().anyMatch(e -> e.kind() == Kind.LOST));
        subscription.close();
        here.lock(name).acquire(WAIT).close();

        assertThat(events)
                .filteredOn(
                        e -> e.kind() != Kind.SUSPECT && e.kind() != Kind.RECOVERED) // as a slow machine may have it
                .extracting(LockEvent::kind, LockEvent::token)
                .containsExactly(
                        tuple(Kind.GRANTED, released.token()),
                        tuple(Kind.RELEASED, released.token()),
                        tuple(Kind.GRANTED, lost.token()),
                        tuple(Kind.REVOKE_ASKED, lost.token()),
                        tuple(Kind.LOST, lost.token()));
        assertThat(events).allSatisfy(event -> {
            assertThat(event.name()).isEqualTo(name);
            assertThat(event.owner()).endsWith(Thread.currentThread().getName());
        });
        assertThat(events)
                .filteredOn(e -> e.kind() == Kind.REVOKE_ASKED)
                .first()
                .satisfies(e -> assertThat(e.detail()).contains("an operator"));
    }

    final int holdersOf(String lock) {
        return there.inspect(lock).map(view -> view.holders().size()).orElse(0);
    }
}
