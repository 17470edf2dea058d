package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.ThreadOwnedLock;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two processes' locks on one store, and a fresh name. */
@SuppressWarnings("NullAway.Init") // set before each test
abstract class LocksScenario extends JdkReadWriteLockContract implements PunctualScenario {
    static final Duration WAIT = Duration.ofSeconds(25);
    static final Duration BRIEF = Duration.ofMillis(200);
    /** To be lost soon. */
    static final LockOptions SHORT_LEASE = LockOptions.DEFAULT.withLease(Duration.ofMillis(600));

    /** To be kept by renewals: only {@link #whileRenewalsAreInTime} can judge that. */
    static final LockOptions KEPT_LEASE = LockOptions.DEFAULT.withLease(Duration.ofMillis(2400));

    /** To be taken away: it does not end by itself before that, and its holder learns of it soon. */
    static final LockOptions TAKEN_LEASE = LockOptions.DEFAULT.withLease(Duration.ofSeconds(6));

    /** Longer than that lease lasts without a renewal. */
    static final Duration KEPT = KEPT_LEASE.lease().multipliedBy(2);

    private static final Duration IN_TIME = LockMachine.CLAIM_LEASE.dividedBy(5);

    ExecutorService threads;
    String name = "";
    Locks here;
    Locks there;

    /** The store under test, as one process has it. */
    protected abstract LockStore store();

    /** The same locks, as another process has them; the same store where there can be no other process. */
    protected LockStore otherStore() {
        return store();
    }

    @BeforeEach
    void openLocks() {
        threads = Executors.newCachedThreadPool();
        here = Locks.over(store());
        there = Locks.over(otherStore());
        name = "contract:" + UUID.randomUUID();
    }

    @AfterEach
    void closeLocks() {
        threads.shutdownNow();
        here.close();
        there.close();
    }

    @Override
    public Duration inTime() {
        return IN_TIME;
    }

    @Override
    public Object askStore() {
        return there.inspect("punctual");
    }

    @Override
    public void startAnew() {
        closeLocks();
        openLocks();
    }

    @Override
    protected Lock javaLock() {
        return here.lock(name).asJavaLock();
    }

    @Override
    protected ReadWriteLock javaReadWriteLock() {
        return here.readWriteLock(name).asJavaReadWriteLock();
    }

    @Override
    protected int holdCount(Lock lock) {
        return ((ThreadOwnedLock) lock).holdCount();
    }

    /** Runs what needs renewals in time, with a fresh name, until the store was in time for them. */
    void whileRenewalsAreInTime(Punctual.Attempt attempt) throws Exception {
        Duration within = KEPT_LEASE.lease().dividedBy(3);
        Punctual.judge(within, () -> here.inspect(name), () -> {
            name = "contract:" + UUID.randomUUID();
            attempt.run();
        });
    }

    static boolean isRefusedReentry(Lock lock) {
        try {
            lock.lock();
        } catch (LeaseLostException e) {
            return true;
        }
        lock.unlock();
        return false;
    }

    void assertKept(Lease lease, Duration stretch) {
        await().during(stretch)
                .atMost(stretch.plusSeconds(5))
                .until(() -> lease.state() == Lease.State.HELD
                        || lease.state() == Lease.State.SUSPECT
                                && lease.remaining().toMillis() > 0);
        assertThat(there.validate(name, lease.token())).isTrue();
    }

    void awaitQueueOf(int length) {
        await().atMost(WAIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> here.inspect(name).map(v -> v.queue().size()).orElse(0) == length);
    }
}
