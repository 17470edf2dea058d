package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.Election;
import dev.tenon.lock.Election.Leader;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockEvent;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.faults.LockStoreFixture.Backend;
import dev.tenon.testkit.history.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What the locks of a store on a server must bear: holders that are killed or stopped, a server that is killed, a line
 * that fails in every way, waiters that leave as they are granted, thousands of them, and threads that nobody has left.
 * A backend's test extends it and supplies the {@linkplain LockStoreFixture kind of store}.
 *
 * <p>Always: no two holders pass a fence, no waiter is forgotten, nothing is left behind, and an error tells "nothing
 * happened" from "it may have happened".
 */
public abstract class LockFaultsContract extends LockLineFaultsContract {
    private static final int CROWD = Integer.getInteger("tenon.crowd", 1_500);
    private static final int SERVED = 150;
    private static final int RACES = 40;
    private static final Duration SHORT = Duration.ofSeconds(3);

    @Test
    void theServerIsKilledWhileItsLocksAreHeldAndWaitedFor() throws Exception {
        // Longer than a server may take to be back.
        LockOptions forLong = LockOptions.DEFAULT.withLease(LONG_LEASE);
        Lease held = there.lock(name, forLong).acquire(PATIENCE);
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        waiters.add(here.lock(name).acquireAsync(Duration.ofMinutes(2)).toCompletableFuture());
        awaitQueueOf(1);
        server.kill();
        waiters.add(here.lock(name).acquireAsync(Duration.ofMinutes(2)).toCompletableFuture());
        server.restart();
        if (direct.store().traits().survivesRestart()) {
            assertThat(seen(name).orElseThrow().isHeldUnder(held.token())).isTrue();
        }
        held.closeAsync().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        long last = held.token();
        for (CompletableFuture<Lease> waiter : waiters) {
            try (Lease next = waiter.get(60, TimeUnit.SECONDS)) {
                assertThat(next.token()).isGreaterThan(last);
                last = next.token();
            }
        }
        soon().until(() -> seen(name).isEmpty());
    }

    @Test
    void aWaiterThatIsCancelledAsItIsGrantedLeavesNothingBehind() {
        String holder = open(direct.store(), new RecordedEvents());
        RecordedEvents events = new RecordedEvents();
        String waiter = open(store(), events);
        for (int i = 0; i < RACES; i++) {
            Release held = granted(name, join(direct.store().acquire(request(name, holder, Duration.ZERO))));
            Acquire waiting = request(name, waiter, LONG_LEASE);
            assertThat(join(store().acquire(waiting))).isInstanceOf(Outcome.Queued.class);
            CompletionStage<List<Released>> release = direct.store().release(List.of(held));
            Cancelled cancelled = join(store().cancel(new Cancel(name, waiting.requestId())));
            Released released = join(release).get(0);
            if (cancelled instanceof Cancelled.WasGranted granted) {
                assertThat(released).isEqualTo(Released.HANDED_OVER);
                Release given = new Release(name, granted.token());
                assertThat(join(store().release(List.of(given)))).containsExactly(Released.FREED);
            } else {
                assertThat(released).isEqualTo(Released.FREED);
            }
            assertThat(seen(name)).isEmpty();
        }
        join(store().closeSession(waiter));
    }

    @Test
    void aWaiterThatIsInterruptedAsItIsGrantedAndOnceMoreHoldsNothing() throws Exception {
        for (int i = 0; i < RACES / 4; i++) {
            Lease held = there.lock(name).acquire(PATIENCE);
            Thread waiter = new Thread(() -> {
                try (Lease lease = here.lock(name).acquire(PATIENCE)) {
                    // Closing with an interrupt on the way, and another behind it, still gives back.
                    lease.ensure(Duration.ZERO);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            waiter.start();
            awaitQueueOf(1);
            CompletionStage<Void> closing = held.closeAsync();
            waiter.interrupt();
            waiter.interrupt();
            closing.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            waiter.join(PATIENCE.toMillis());
            assertThat(waiter.isAlive()).isFalse();
            // Neither a hold nor a place in the queue: the next one has it at once, long before any lease ends.
            there.lock(name).acquire(PATIENCE).close();
            soon().until(() -> seen(name).isEmpty());
        }
    }

    @Test
    void locksGoOnAndTellWhereUserCodeHasTakenEveryThreadOfTheCommonPool() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        List<LockEvent.Kind> told = new CopyOnWriteArrayList<>();
        LockEvent.Subscription listening = here.listen(event -> told.add(event.kind()));
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism() * 4 + 16; i++) {
            ForkJoinPool.commonPool().execute(() -> {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        List<Optional<Leader>> leaders = new CopyOnWriteArrayList<>();
        Election.Observation watched = there.election(name).observe(Election.INTERVAL_MIN, leaders::add);
        try {
            Lease held = here.lock(name).acquire(PATIENCE);
            CompletableFuture<Lease> waiting =
                    there.lock(name).acquireAsync(PATIENCE).toCompletableFuture();
            awaitQueueOf(1);
            soon().until(() -> leaders.stream().anyMatch(Optional::isPresent));
            there.revoke(name, "the next");
            held.revokeAsked().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            held.close();
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
            assertThat(here.lock(name + "-other").tryAcquire(PATIENCE)).hasValueSatisfying(Lease::close);
            Lease taken = here.lock(name, LockOptions.DEFAULT.withLease(SHORT)).acquire(PATIENCE);
            join(direct.store().release(List.of(new Release(name, taken.token()))));
            taken.lost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            soon().until(() -> told.containsAll(List.of(LockEvent.Kind.RELEASED, LockEvent.Kind.LOST)));
        } finally {
            over.countDown();
            watched.close();
            listening.close();
        }
        soon().until(() -> seen(name).isEmpty());
    }

    private boolean queueIsEmpty() {
        return seen(name).map(view -> view.queue().isEmpty()).orElse(true);
    }

    @Test
    void aHandOverAmongThousandsCostsWhatItCostsAmongFewAndWhoIsNotServedIsToldSo() throws Exception {
        double few = bytesPerHandOver(SERVED + 10);
        name = name + "-crowd";
        double many = bytesPerHandOver(CROWD);
        assertThat(many).as("bytes a hand-over, of which few need %s", few).isLessThan(few * 1.5 + 200);
        soon().until(() -> seen(name).isEmpty());
    }

    /** Of two processes with half of the waiters each. */
    private double bytesPerHandOver(int crowd) throws Exception {
        List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
        List<Long> tokens = new CopyOnWriteArrayList<>();
        double cost;
        try (Locks one = Locks.over(store());
                Locks two = Locks.over(store())) {
            Lease held = there.lock(name).acquire(PATIENCE);
            for (int i = 0; i < crowd; i++) {
                waiters.add((i % 2 == 0 ? one : two)
                        .lock(name)
                        .acquireAsync(Duration.ofMinutes(5))
                        .thenApply(lease -> served(lease, tokens))
                        .toCompletableFuture());
            }
            awaitQueueOf(2);
            long before = line.bytesToServer();
            held.close();
            soon().until(() -> tokens.size() >= SERVED);
            cost = (double) (line.bytesToServer() - before) / tokens.size();
        }
        for (CompletableFuture<Boolean> waiter : waiters) {
            // Served, or told that there is nothing to wait for any more.
            waiter.handle((served, failure) -> true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        return cost;
    }

    private static boolean served(Lease lease, List<Long> tokens) {
        tokens.add(lease.token());
        lease.closeAsync();
        return true;
    }

    @Test
    void whatHappensWhileEverythingFailsIsPossibleAndLeavesNothingBehind() throws Exception {
        History history;
        List<ForkedJvm> jvms = processes(2);
        ForkedJvm stopped = jvms.get(0);
        ForkedJvm killed = jvms.get(1);
        try (FaultProxy otherLine = FaultProxy.to(server.socket());
                Backend other =
                        opened(fixture(), LockStoreFixture.through(otherLine.address(), place, server.socket()));
                Locks locks = Locks.over(other.store())) {
            Duration time = RandomHolders.time(Duration.ofSeconds(5));
            for (ForkedJvm jvm : jvms) {
                jvm.send("random " + name + " " + (RandomHolders.seed() + jvm.pid()) + " " + time.toMillis());
            }
            FaultyRun faults = new FaultyRun(server, List.of(line, otherLine), RandomHolders.seed());
            history = RandomHolders.of(List.of(here, locks), name).run(time, t -> faults.run(t, stopped, killed));
            stopped.nextLine("done"::equals, PATIENCE.multipliedBy(2));
            stopped.lines().forEach(history::add);
            LockProcess.operationsOf(killed).forEach(history::add);
            here.close();
        }
        RandomHolders.check(history);
        assertThat(history.grants()).isGreaterThan(RandomHolders.GRANTS_LEAST);
        for (String lock : history.byLock().keySet()) {
            soon().until(() -> isGivenUp(lock));
        }
    }

    /**
     * Whether nobody holds it any more, or waits. What a thread was in when its store did not hear it leave has long
     * leases.
     */
    private boolean isGivenUp(String lock) {
        Optional<LockView> left = seen(lock);
        if (left.isPresent() && RandomHolder.isReentrant(lock)) {
            left.get()
                    .holders()
                    .forEach(holder -> eventually(() -> direct.store().evict(lock, holder.token(), "end of the test")));
        }
        return left.isEmpty();
    }
}
