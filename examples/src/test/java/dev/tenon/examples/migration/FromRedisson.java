package dev.tenon.examples.migration;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** One piece of work under a lock of Redisson, of both, of Tenon. */
record FromRedisson(RedissonClient redisson, Locks locks) implements OneAtATime {
    // tag::before[]
    @Override
    public void before(Runnable work) throws InterruptedException {
        RLock lock = redisson.getLock("stock:42");
        if (!lock.tryLock(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("stock:42 is locked");
        }
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }
    // end::before[]

    // tag::both[]
    @Override
    public void both(LongConsumer work) throws InterruptedException {
        RLock old = redisson.getLock("stock:42"); // always the old one first
        if (!old.tryLock(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("stock:42 is locked");
        }
        try (Lease lease = locks.lock("stock:42").acquire(Duration.ofSeconds(30))) {
            work.accept(lease.token());
        } finally {
            old.unlock();
        }
    }
    // end::both[]

    // tag::after[]
    @Override
    public void after(LongConsumer work) throws InterruptedException {
        try (Lease lease = locks.lock("stock:42").acquire(Duration.ofSeconds(30))) { // or LockTimeoutException
            work.accept(lease.token()); // which it shows to what it writes to
        }
    }
    // end::after[]
}
