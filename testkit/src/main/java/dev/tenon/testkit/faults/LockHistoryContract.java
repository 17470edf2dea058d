package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.history.History;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Random histories of two processes' locks, some of whose leases run out, must be possible by the models of a fenced
 * mutex, a read-write lock, a semaphore and a reentrant lock. Every store's test extends it; {@link LockFaultsContract}
 * does the same while everything fails.
 *
 * <p>A failure shows the history and the seed; {@code -Dtenon.seed} sets that, {@code -Dtenon.history.seconds} the
 * time.
 */
public abstract class LockHistoryContract {
    /** The store under test, as one process has it. */
    protected abstract LockStore store();

    /** The same locks, as another process has them; the same store where there can be no other process. */
    protected LockStore otherStore() {
        return store();
    }

    /**
     * What is done to the store in the meantime: nothing, unless a test does something. It returns after about
     * {@code time}, and leaves the store as it was.
     */
    protected void disturb(Duration time) throws InterruptedException {}

    @Test
    void whatHappensIsPossible() throws InterruptedException {
        String prefix = "history:" + UUID.randomUUID();
        try (Locks here = Locks.over(store());
                Locks there = Locks.over(otherStore())) {
            RandomHolders holders = RandomHolders.of(List.of(here, there), prefix);
            History history = holders.run(Duration.ofSeconds(2), this::disturb);
            RandomHolders.check(history);
            assertThat(history.grants()).isGreaterThan(RandomHolders.GRANTS_LEAST);
        }
    }
}
