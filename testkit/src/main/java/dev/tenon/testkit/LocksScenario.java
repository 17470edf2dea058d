package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two processes' locks on one store, and a fresh name. */
@SuppressWarnings("NullAway.Init") // set before each test
abstract class LocksScenario {
    static final Duration WAIT = Duration.ofSeconds(15);
    static final Duration BRIEF = Duration.ofMillis(200);
    static final LockOptions SHORT_LEASE = LockOptions.DEFAULT.withLease(Duration.ofMillis(600));

    final ExecutorService threads = Executors.newCachedThreadPool();
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
