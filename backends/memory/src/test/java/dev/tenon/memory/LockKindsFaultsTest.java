package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.DistributedReadWriteLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.LockTimeoutException;
import dev.tenon.lock.Locks;
import dev.tenon.lock.MultiLease;
import dev.tenon.lock.spi.LockStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What conversions and multi-locks do when a request, a reply or a push is lost, and what they cost when none is. */
class LockKindsFaultsTest {
    private static final Duration WAIT = Duration.ofSeconds(25);
    private static final LockOptions SHORT_LEASE = LockOptions.DEFAULT.withLease(Duration.ofMillis(600));
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final MemoryBackend backend = MemoryBackend.create();
    private final LossyLockStore lossy = new LossyLockStore(backend.lockStore());
    private final Locks locks = Locks.over(lossy);
    private final Locks others = backend.locks();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        locks.close();
        backend.close();
    }

    @Test
    void aConversionWhoseReplyIsLostIsAskedForAgain() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("x");
        Lease update = lock.updateLock().acquire(WAIT);
        lossy.loseReplies.set(2);
        Lease write = lock.tryUpgrade(update).orElseThrow();
        assertThat(others.validate("x", write.token())).isTrue();
        lossy.loseReplies.set(2);
        Lease read = lock.downgradeToRead(write);
        assertThat(others.inspect("x").orElseThrow().holders()).hasSize(1);
        read.close();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aConversionThatNeverHearsSaysSoAndLeavesNothingBehind() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("x");
        Lease update = lock.updateLock().acquire(WAIT);
        lossy.loseReplies.set(3);
        assertThatThrownBy(() -> lock.tryUpgrade(update)).isInstanceOf(OutcomeUnknownException.class);
        await().atMost(WAIT).until(() -> others.inspect("x").isEmpty());
        assertThat(update.lost().toCompletableFuture()).succeedsWithin(WAIT).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anUpgradeWhosePushIsLostIsFoundByTheNextRenewal() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("x", SHORT_LEASE);
        Lease reader = others.readWriteLock("x").readLock().acquire(WAIT);
        Lease update = lock.updateLock().acquire(WAIT);
        Future<Lease> upgrade = threads.submit(() -> lock.upgrade(update, WAIT));
        await().until(() -> !others.inspect("x").orElseThrow().queue().isEmpty());
        lossy.losePushes.set(1);
        reader.close();
        Lease write = upgrade.get(25, TimeUnit.SECONDS);
        assertThat(update.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(update.lost().toCompletableFuture()).isNotDone();
        assertThat(others.validate("x", write.token())).isTrue();
    }

    @Test
    void aLeaseIsConvertedOnceAtATime() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("x");
        Lease reader = others.readWriteLock("x").readLock().acquire(WAIT);
        Lease update = lock.updateLock().acquire(WAIT);
        Future<Lease> upgrade = threads.submit(() -> lock.upgrade(update, WAIT));
        await().until(() -> !others.inspect("x").orElseThrow().queue().isEmpty());
        assertThatThrownBy(() -> lock.tryUpgrade(update)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lock.downgradeToRead(update)).isInstanceOf(IllegalStateException.class);
        reader.close();
        upgrade.get(25, TimeUnit.SECONDS).close();
    }

    @Test
    void aJavaWriterWhoseStoreIsDownReadsOnUnderTheWriteLease() {
        ReadWriteLock lock = locks.readWriteLock("x").asJavaReadWriteLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lossy.loseRequests.set(3);
        lock.writeLock().unlock();
        lossy.loseRequests.set(0);
        assertThat(others.readWriteLock("x").readLock().tryAcquire()).isEmpty();
        lock.readLock().unlock();
        assertThat(others.inspect("x")).isEmpty();
    }

    @Test
    void aMultiLockThatIsFreeCostsOneCallEachWay() throws Exception {
        locks.lock("warm-up").acquire(WAIT).close();
        int before = lossy.calls.get();
        MultiLease leases = locks.multiLock(NAMES).acquire(WAIT);
        assertThat(lossy.calls.get() - before).isEqualTo(1);
        leases.close();
        assertThat(lossy.calls.get() - before).isEqualTo(2);
        assertFree();
    }

    @Test
    void aMultiLockWhoseReplyIsLostIsAskedForAgain() throws Exception {
        lossy.loseReplies.set(2);
        try (MultiLease leases = locks.multiLock(NAMES).acquire(WAIT)) {
            leases.tokens()
                    .forEach((name, token) ->
                            assertThat(others.validate(name, token)).isTrue());
        }
        assertFree();
        lossy.loseReplies.set(3);
        assertThatThrownBy(() -> locks.multiLock(NAMES).tryAcquire()).isInstanceOf(OutcomeUnknownException.class);
        assertFree();
    }

    @Test
    void aMultiLockWhoseStoreDiesAfterItTookTheLocksSaysSoAndGivesThemBackOnceTheStoreAnswers() throws Exception {
        locks.lock("warm-up").acquire(WAIT).close();
        lossy.loseReplies.set(1);
        // Both further attempts fail to reach it, and the first two tries to give each of the locks back.
        lossy.onLostReply = () -> lossy.loseRequests.set(2 + 2 * NAMES.size());
        assertThatThrownBy(() -> locks.multiLock(NAMES).tryAcquire()).isInstanceOf(OutcomeUnknownException.class);
        assertFree();
    }

    @Test
    void aStoreThatTakesOneAtATimeIsAskedInOrder() throws Exception {
        LockStore single = (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> method.invoke(backend.lockStore(), arguments));
        try (Locks plain = Locks.over(single)) {
            try (Lease last = others.lock("c").acquire(WAIT)) {
                assertThat(plain.multiLock(NAMES).tryAcquire()).isEmpty();
                assertThat(plain.multiLock(NAMES).tryAcquire(Duration.ofMillis(50)))
                        .isEmpty();
                assertThat(others.inspect("a")).isEmpty();
                assertThat(last.state()).isEqualTo(Lease.State.HELD);
            }
            plain.multiLock(NAMES).acquire(WAIT).close();
            assertFree();
        }
    }

    @Test
    void whoWaitsForPermitsIsNotTakenForDeadlocked() throws Exception {
        try (Lease held = locks.lock("b").acquire(WAIT);
                Lease other = others.semaphore("s", 2).acquire(WAIT)) {
            Future<?> waiter = threads.submit(() -> {
                try (Lease permit = locks.semaphore("s", 2).acquire(WAIT);
                        Lease never = locks.lock("b").acquire(WAIT)) {
                    return permit.token() + never.token();
                }
            });
            await().until(() -> others.semaphore("s", 2).available() == 0);
            assertThatThrownBy(() -> locks.semaphore("s", 2).acquire(Duration.ofSeconds(1)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageNotContaining("deadlock");
            waiter.cancel(true);
            assertThat(List.of(held.state(), other.state())).containsOnly(Lease.State.HELD);
        }
    }

    private void assertFree() {
        for (String name : NAMES) {
            await().atMost(WAIT).until(() -> others.inspect(name).isEmpty());
        }
    }
}
