package dev.tenon.examples.migration;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** One piece of work under a lock of Curator, of both, of Tenon. */
record FromCurator(CuratorFramework curator, Locks locks) implements OneAtATime {
    // tag::before[]
    @Override
    public void before(Runnable work) throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(curator, "/locks/stock-42");
        if (!mutex.acquire(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("stock-42 is locked");
        }
        try {
            work.run();
        } finally {
            mutex.release();
        }
    }
    // end::before[]

    // tag::both[]
    @Override
    public void both(LongConsumer work) throws Exception {
        InterProcessMutex old = new InterProcessMutex(curator, "/locks/stock-42"); // always the old one first
        if (!old.acquire(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("stock-42 is locked");
        }
        try (Lease lease = locks.lock("stock-42").acquire(Duration.ofSeconds(30))) {
            work.accept(lease.token());
        } finally {
            old.release();
        }
    }
    // end::both[]

    // tag::after[]
    @Override
    public void after(LongConsumer work) throws InterruptedException {
        try (Lease lease = locks.lock("stock-42").acquire(Duration.ofSeconds(30))) { // or LockTimeoutException
            work.accept(lease.token()); // which it shows to what it writes to
        }
    }
    // end::after[]
}
