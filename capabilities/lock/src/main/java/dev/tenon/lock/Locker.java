package dev.tenon.lock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Locks by key, for code that knows only keys: owned by the thread, reentrant, without a lease in the caller's hands.
 * The lock of a key is {@link Locks#lock} of that name, so both styles exclude each other. Prefer
 * {@link DistributedLock} in new code: without a lease there is no fencing token. Thread-safe.
 */
public final class Locker {
    private final Locks locks;
    private final LockOptions options;

    Locker(Locks locks, LockOptions options) {
        this.locks = locks;
        this.options = options;
    }

    /** Waits for the lock, for as long as it takes; an interrupt does not end the wait. */
    public void lock(String key) {
        of(key, options).lock();
    }

    /** Takes the lock if it is free or this thread's already. */
    public boolean tryLock(String key) {
        return of(key, options).tryLock();
    }

    /**
     * Waits for the lock; it is renewed for as long as it is held.
     *
     * @param wait how long at most; zero: not at all
     */
    public boolean tryLock(String key, Duration wait) throws InterruptedException {
        return of(key, options).tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Waits for the lock; it is lost when {@code lease} is over, and not renewed. A thread that has it already keeps
     * the lease that it has.
     *
     * @param wait how long at most; zero: not at all
     * @param lease how long it is held at most, {@link LockOptions#LEASE_MIN} or more
     */
    public boolean tryLock(String key, Duration wait, Duration lease) throws InterruptedException {
        return of(key, options.withLease(lease).withoutRenewal()).tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Gives the lock back when called as often as it was taken.
     *
     * @throws IllegalMonitorStateException if this thread does not hold it
     * @throws dev.tenon.LeaseLostException if it was lost before; it is unlocked then
     */
    public void unlock(String key) {
        of(key, options).unlock();
    }

    /** Whether anybody, in any process, holds the lock at this moment. One round trip. */
    public boolean isLocked(String key) {
        return locks.inspect(key).filter(view -> view.holder().isPresent()).isPresent();
    }

    private Lock of(String key, LockOptions how) {
        return locks.lock(key, how).asJavaLock();
    }
}
