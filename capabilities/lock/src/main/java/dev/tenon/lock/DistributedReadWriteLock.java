package dev.tenon.lock;

import dev.tenon.lock.spi.LockMode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * One lock name with three ways to hold it: any number of readers together; one updater beside readers; one writer
 * alone. First come, first served: a reader that comes after a waiting writer waits for it, unless the options are
 * {@linkplain LockOptions#unfair() unfair}.
 *
 * <p>Who reads first and may then have to write takes the update lock: two readers that both waited to become the
 * writer would wait for each other for ever (Gray and Reuter, "Transaction Processing", 1993, 7.8.2), so a read lease
 * can't be upgraded. A conversion replaces the lease: the old one ends as {@link Lease.State#RELEASED} without a gap in
 * which another could write, and the new one has a new, greater token.
 *
 * <p>Thread-safe.
 */
public final class DistributedReadWriteLock {
    private final Locks locks;
    private final String name;
    private final DistributedLock read;
    private final DistributedLock update;
    private final DistributedLock write;

    DistributedReadWriteLock(Locks locks, String name, LockOptions options) {
        this.locks = locks;
        this.name = name;
        this.read = new DistributedLock(locks, Wish.of(name, LockMode.SHARED, options));
        this.update = new DistributedLock(locks, Wish.of(name, LockMode.UPDATE, options));
        this.write = new DistributedLock(locks, Wish.of(name, LockMode.EXCLUSIVE, options));
    }

    /** The name of this lock. */
    public String name() {
        return name;
    }

    /** Held by any number of readers, and one updater beside them. */
    public DistributedLock readLock() {
        return read;
    }

    /** Held by one updater, beside readers: for who reads now and may write soon. */
    public DistributedLock updateLock() {
        return update;
    }

    /** Held by one writer, and nobody beside it; the same lock as {@link Locks#lock} of this name. */
    public DistributedLock writeLock() {
        return write;
    }

    /**
     * Turns an update lease into one of the write lock, as soon as all readers have left; goes before all who wait.
     *
     * @param wait how long at most, more than zero
     * @return the new lease; {@code held} is released
     * @throws LockTimeoutException if readers stayed; {@code held} is as before
     * @throws InterruptedException if the thread is interrupted; {@code held} is as before, unless the store granted
     *     the write lock just then: it is given back, and {@code held} is lost
     * @throws dev.tenon.LeaseLostException if {@code held} was lost before, or meanwhile
     * @throws IllegalArgumentException if {@code held} is not an update lease of this lock
     */
    public Lease upgrade(Lease held, Duration wait) throws InterruptedException {
        Optional<Lease> write = tryUpgrade(held, wait);
        if (write.isEmpty()) {
            held.ensure(Duration.ZERO);
            throw new LockTimeoutException("The readers of lock \"" + name + "\" did not leave within " + wait
                    + "; it is still held by " + held);
        }
        return write.get();
    }

    /**
     * {@link #upgrade}, or nothing.
     *
     * @return the new lease; empty if readers stayed: {@code held} is as before
     */
    public Optional<Lease> tryUpgrade(Lease held, Duration wait) throws InterruptedException {
        Wish.requireWait(wait);
        return locks.convert(mine(held), LockMode.EXCLUSIVE, wait).await();
    }

    /**
     * Turns an update lease into one of the write lock if there is no reader. One round trip.
     *
     * @return the new lease; empty if there are readers: {@code held} is as before
     */
    public Optional<Lease> tryUpgrade(Lease held) {
        return Locks.join(
                locks.convert(mine(held), LockMode.EXCLUSIVE, Duration.ZERO).result());
    }

    /**
     * Turns a write lease into one of the update lock; readers are let in. One round trip.
     *
     * @return the new lease; {@code held} is released
     * @throws dev.tenon.LeaseLostException if {@code held} was lost before
     */
    public Lease downgradeToUpdate(Lease held) {
        return locks.weaken(mine(held), LockMode.UPDATE);
    }

    /**
     * Turns a write or update lease into one of the read lock; others are let in. One round trip.
     *
     * @return the new lease; {@code held} is released
     * @throws dev.tenon.LeaseLostException if {@code held} was lost before
     */
    public Lease downgradeToRead(Lease held) {
        return locks.weaken(mine(held), LockMode.SHARED);
    }

    /**
     * The read and the write lock as the JDK has them: owned by threads, reentrant (counted in the process, without a
     * round trip). As in {@link java.util.concurrent.locks.ReentrantReadWriteLock}, the writer may take the read lock
     * too, and keeps it when it unlocks the write lock; conditions belong to the write lock only. A reader that asks
     * for the write lock would wait for itself for ever: {@code lock()} throws {@link IllegalStateException} then,
     * {@code tryLock} is false. Unlike the JDK's, {@code tryLock()} without a time does not overtake a writer who
     * waits, unless the options are {@linkplain LockOptions#unfair() unfair}.
     */
    public ReadWriteLock asJavaReadWriteLock() {
        return new ThreadOwnedLock.Pair(read.asJavaLock(), write.asJavaLock());
    }

    @Override
    public String toString() {
        return "DistributedReadWriteLock[" + name + "]";
    }

    private Lease mine(Lease held) {
        if (!held.name().equals(name)) {
            throw new IllegalArgumentException(held + " is not a lease of lock \"" + name + "\"");
        }
        return held;
    }
}
