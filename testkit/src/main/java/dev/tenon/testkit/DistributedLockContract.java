package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.LockTimeoutException;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockMachine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What a lock must do for its users, on every store. A backend's test extends it; two {@link Locks} play the part of
 * two processes.
 *
 * <p>Each test has a name of its own and mostly waits, so that they may run side by side, where JUnit is told to
 * ({@code junit.jupiter.execution.parallel.enabled}): {@link #store} is then asked by several threads.
 */
@Execution(ExecutionMode.CONCURRENT)
public abstract class DistributedLockContract extends JavaLockContract {
    @Test
    void oneProcessHoldsAndTheOtherDoesNot() throws Exception {
        try (Lease lease = here.lock(name).acquire(WAIT)) {
            assertThat(lease.name()).isEqualTo(name);
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            assertThat(lease.token()).isPositive();
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(20), LockOptions.DEFAULT.lease());
            assertThatCode(() -> lease.ensure(Duration.ofSeconds(1))).doesNotThrowAnyException();
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            assertThat(there.validate(name, lease.token())).isTrue();
            assertThat(there.validate(name, lease.token() - 1)).isFalse();
        }
        assertThat(there.inspect(name)).isEmpty();
    }

    @Test
    void theOwnerIsShownToThoseWhoLook() throws Exception {
        try (Lease lease = here.lock(name).acquire(WAIT)) {
            assertThat(there.inspect(name).orElseThrow().holder().orElseThrow().owner())
                    .contains(String.valueOf(ProcessHandle.current().pid()))
                    .endsWith(Thread.currentThread().getName());
            assertThat(lease.toString()).contains(name).contains(String.valueOf(lease.token()));
        }
    }

    @Test
    void anotherThreadOfTheSameProcessDoesNotHoldEither() throws Exception {
        DistributedLock lock = here.lock(name);
        try (Lease lease = lock.acquire(WAIT)) {
            assertThat(lock.tryAcquire()).isEmpty();
            assertThat(lock.tryAcquire(BRIEF)).isEmpty();
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        }
        try (Lease lease = lock.tryAcquire().orElseThrow()) {
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        }
    }

    @Test
    void aClosedLeaseIsReleasedOnce() throws Exception {
        Lease lease = here.lock(name).acquire(WAIT);
        lease.close();
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(() -> lease.ensure(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        try (Lease next = there.lock(name).tryAcquire().orElseThrow()) {
            lease.close();
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(there.validate(name, next.token())).isTrue();
        }
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
    }

    @Test
    void anAcquireThatRunsOutOfTimeThrowsAndATryIsEmpty() throws Exception {
        try (Lease lease = here.lock(name).acquire(WAIT)) {
            assertThatThrownBy(() -> there.lock(name).acquire(BRIEF))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining(name);
            assertThat(there.lock(name).tryAcquire(BRIEF)).isEmpty();
            assertThat(there.lock(name).acquireAsync(BRIEF).toCompletableFuture())
                    .failsWithin(WAIT)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockTimeoutException.class);
            await().until(() -> here.inspect(name).orElseThrow().queue().isEmpty());
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        }
    }

    @Test
    void aWaiterInTheOtherProcessGetsTheLockWhenItIsReleased() throws Exception {
        Lease lease = here.lock(name).acquire(WAIT);
        Future<Lease> waiter = threads.submit(() -> there.lock(name).acquire(WAIT));
        awaitQueueOf(1);
        lease.close();
        Lease next = waiter.get(25, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(next.state()).isEqualTo(Lease.State.HELD);
        assertThat(here.validate(name, next.token())).isTrue();
        next.close();
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void aLockThatWasHandedOverIsKeptBeyondItsClaim() throws Exception {
        whileRenewalsAreInTime(() -> {
            Lease lease = here.lock(name, KEPT_LEASE).acquire(WAIT);
            Future<Lease> waiter =
                    threads.submit(() -> there.lock(name, KEPT_LEASE).acquire(WAIT));
            awaitQueueOf(1);
            lease.close();
            Lease next = waiter.get(25, TimeUnit.SECONDS);
            assertKept(next, KEPT);
            next.close();
        });
    }

    @Test
    void aLeaseIsRenewedForAsLongAsItIsHeld() throws Exception {
        whileRenewalsAreInTime(() -> {
            Lease lease = here.lock(name, KEPT_LEASE).acquire(WAIT);
            assertKept(lease, KEPT_LEASE.lease().multipliedBy(3));
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            lease.close();
        });
    }

    @Test
    void aLeaseWithoutRenewalIsLostWhenItsTimeIsOver() throws Exception {
        Lease lease = here.lock(name, SHORT_LEASE.withoutRenewal()).acquire(WAIT);
        LeaseLostException reason = lease.lost().toCompletableFuture().get(25, TimeUnit.SECONDS);
        assertThat(reason).hasMessageContaining(name);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThatThrownBy(() -> lease.ensure(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        try (Lease next = there.lock(name).acquire(WAIT)) {
            assertThat(next.token()).isGreaterThan(lease.token());
            lease.close();
            assertThat(there.validate(name, next.token())).isTrue();
        }
    }

    @Test
    void aMaximumHoldEndsRenewal() throws Exception {
        Lease lease = here.lock(name, SHORT_LEASE.withMaximumHold(Duration.ofMillis(900)))
                .acquire(WAIT);
        lease.lost().toCompletableFuture().get(25, TimeUnit.SECONDS);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        there.lock(name).acquire(WAIT).close();
    }

    @Test
    void anEvictedHolderLearnsOfIt() throws Exception {
        Lease lease = here.lock(name, TAKEN_LEASE).acquire(WAIT);
        assertThat(there.evict(name, lease.token() - 1, "test")).isEmpty();
        assertThat(there.evict(name, lease.token(), "test")).isPresent();
        lease.lost().toCompletableFuture().get(25, TimeUnit.SECONDS);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
    }

    @Test
    void aLostLockCanBeTakenAgainByTheSameProcess() throws Exception {
        Lease lost = here.lock(name, SHORT_LEASE.withoutRenewal()).acquire(WAIT);
        try (Lease next = here.lock(name).acquire(WAIT)) {
            assertThat(next.token()).isGreaterThan(lost.token());
            assertThat(lost.state()).isEqualTo(Lease.State.LOST);
        }
    }

    @Test
    void anInterruptedWaiterHoldsNothingAndLeavesNothing() throws Exception {
        Lease lease = here.lock(name).acquire(WAIT);
        AtomicInteger left = new AtomicInteger(-1);
        Thread waiter = new Thread(() -> {
            try {
                there.lock(name).acquire(WAIT);
            } catch (InterruptedException e) {
                left.set(there.inspect(name).orElseThrow().queue().size());
            }
        });
        waiter.start();
        awaitQueueOf(1);
        waiter.interrupt();
        waiter.join(25_000);
        assertThat(left).as("what the store knew of it when it returned").hasValue(0);
        lease.close();
        assertThat(here.inspect(name)).isEmpty();
        there.lock(name).tryAcquire().orElseThrow().close();
    }

    @Test
    void anInterruptThatIsSetBeforehandIsHeeded() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> here.lock(name).acquire(WAIT)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        await().until(() -> here.inspect(name).isEmpty());
    }

    @Test
    void anInterruptRightWithTheGrantLeavesNothingBehind() throws Exception {
        for (int round = 0; round < 10; round++) {
            Lease lease = here.lock(name).acquire(WAIT);
            Future<?> waiter = threads.submit(() -> {
                try (Lease granted = there.lock(name).acquire(WAIT)) {
                    return granted.token();
                }
            });
            awaitQueueOf(1);
            threads.submit(lease::close);
            waiter.cancel(true);
            await().atMost(WAIT).until(() -> here.inspect(name).isEmpty());
        }
    }

    @Test
    void anAsynchronousAcquireNeedsNoThread() {
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        var next = there.lock(name).acquireAsync(WAIT).toCompletableFuture();
        awaitQueueOf(1);
        assertThat(next).isNotDone();
        lease.close();
        assertThat(next).succeedsWithin(WAIT).satisfies(Lease::close);
    }

    @Test
    void whatFollowsAnAsynchronousAcquireMayBlock() throws Exception {
        whileRenewalsAreInTime(() -> {
            for (int i = 0; i < 3; i++) {
                assertThat(here.lock(name)
                                .acquireAsync(WAIT)
                                .thenAccept(Lease::close)
                                .toCompletableFuture())
                        .succeedsWithin(Duration.ofSeconds(4));
            }
        });
    }

    @Test
    void aLeaseMayBeClosedByAnotherThread() throws Exception {
        Lease lease = here.lock(name).acquire(WAIT);
        threads.submit(lease::close).get(25, TimeUnit.SECONDS);
        assertThat(there.inspect(name)).isEmpty();
    }

    @Test
    void threadsOfTwoProcessesNeverMeetInside() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicLong last = new AtomicLong();
        int[] counter = new int[1];
        List<Future<?>> runs = new ArrayList<>();
        for (int t = 0; t < 16; t++) {
            Locks process = t % 2 == 0 ? here : there;
            DistributedLock lock =
                    process.lock(name, t % 4 < 2 ? LockOptions.DEFAULT : LockOptions.DEFAULT.withoutLocalHandOver());
            runs.add(threads.submit(() -> {
                for (int i = 0; i < 10; i++) {
                    try (Lease lease = lock.acquire(Duration.ofSeconds(60))) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        assertThat(last.getAndSet(lease.token())).isLessThan(lease.token());
                        counter[0]++;
                        inside.decrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (Future<?> run : runs) {
            run.get(90, TimeUnit.SECONDS);
        }
        assertThat(counter[0]).isEqualTo(160);
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void threadsOfOneProcessAreToldApart() throws Exception {
        DistributedLock lock = here.lock(name);
        Lease first = lock.acquire(WAIT);
        CompletableFuture<Lease> second = lock.acquireAsync(WAIT).toCompletableFuture();
        CompletableFuture<Lease> third = lock.acquireAsync(WAIT).toCompletableFuture();
        first.close();
        try (Lease lease = second.get(25, TimeUnit.SECONDS)) {
            assertThat(lease.token()).isGreaterThan(first.token());
            assertThat(here.validate(name, lease.token())).isTrue();
            assertThat(there.validate(name, lease.token())).isTrue();
            assertThat(here.validate(name, first.token()))
                    .as("handed on or not, this process knows")
                    .isFalse();
            assertThat(there.lock(name).tryAcquire()).isEmpty();
        }
        Lease last = third.get(25, TimeUnit.SECONDS);
        CompletableFuture<Lease> stranger = there.lock(name).acquireAsync(WAIT).toCompletableFuture();
        last.close();
        try (Lease lease = stranger.get(25, TimeUnit.SECONDS)) {
            assertThat(lease.token()).isGreaterThanOrEqualTo(first.token() + LockMachine.TOKEN_STRIDE);
            for (Lease over : List.of(first, second.join(), last)) {
                assertThat(there.validate(name, over.token())).isFalse();
                assertThat(lease.token()).isGreaterThan(over.token());
            }
        }
    }

    @Test
    void closingTheLocksGivesBackWhatTheyHold() throws Exception {
        Locks leaving = Locks.over(store());
        Lease lease = leaving.lock(name).acquire(WAIT);
        Future<Lease> waiter = threads.submit(() -> there.lock(name).acquire(WAIT));
        awaitQueueOf(1);
        leaving.close();
        leaving.close();
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThatThrownBy(() -> leaving.lock(name).tryAcquire()).isInstanceOf(IllegalStateException.class);
        waiter.get(25, TimeUnit.SECONDS).close();
    }

    @Test
    void closingTheLocksEndsTheWaitsForThem() throws Exception {
        try (Lease lease = here.lock(name).acquire(WAIT)) {
            Locks leaving = Locks.over(store());
            CompletableFuture<Lease> stage =
                    leaving.lock(name).acquireAsync(WAIT).toCompletableFuture();
            awaitQueueOf(1);
            List<Running<?>> inLine = List.of(
                    startAndPark(() -> leaving.lock(name).acquire(WAIT)),
                    startAndPark(() -> leaving.lock(name).tryAcquire(WAIT)),
                    startAndPark(() -> {
                        leaving.lock(name).asJavaLock().lock();
                        return null;
                    }));
            leaving.close();
            List<Future<?>> waits = new ArrayList<>(List.of(stage));
            inLine.forEach(each -> waits.add(each.task()));
            for (Future<?> wait : waits) {
                assertThatThrownBy(() -> wait.get(25, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("These locks are closed");
            }
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            await().until(() -> here.inspect(name).orElseThrow().queue().isEmpty());
        }
    }

    @Test
    void badArgumentsAreRefused() {
        for (String bad : Arrays.asList("", "x".repeat(201), "a\tb")) {
            assertThatThrownBy(() -> here.lock(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        for (Duration bad : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(2))) {
            assertThatThrownBy(() -> here.lock(name).acquire(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> here.lock(name).tryAcquire(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> here.lock(name).acquireAsync(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> LockOptions.DEFAULT.withLease(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> LockOptions.DEFAULT.withMaximumHold(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        for (int limit : new int[] {0, -1, 1001}) {
            assertThatThrownBy(() -> here.list("", "", limit)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(here.inspect(name)).isEmpty();
    }
}
