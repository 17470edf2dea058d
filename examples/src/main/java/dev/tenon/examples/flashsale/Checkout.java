package dev.tenon.examples.flashsale;

import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.Locks;
import java.io.IOException;
import java.time.Duration;

/** Where a buyer stands in line before taking an item: a lock, or nothing at all. Thread-safe. */
interface Checkout extends AutoCloseable {
    /** The lock that all processes of the sale compete for. */
    String LOCK = "flash-sale";

    /** The longest that a buyer stands in line. */
    Duration PATIENCE = Duration.ofSeconds(60);

    /** Waits for this buyer's turn; closing what it returns ends it. */
    AutoCloseable enter() throws Exception;

    @Override
    void close() throws IOException;

    /** Everyone at once. */
    final class Unguarded implements Checkout {
        @Override
        public AutoCloseable enter() {
            return () -> {};
        }

        @Override
        public void close() {}
    }

    /** One at a time, by a lock in the store of these locks. */
    final class Guarded implements Checkout {
        private final DistributedLock lock;
        private final Runnable end;

        Guarded(Locks locks, Runnable end) {
            this.lock = locks.lock(LOCK);
            this.end = end;
        }

        @Override
        public AutoCloseable enter() throws InterruptedException {
            return lock.acquire(PATIENCE);
        }

        @Override
        public void close() {
            end.run();
        }
    }
}
