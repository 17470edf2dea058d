package dev.tenon.lock;

import dev.tenon.Names;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A number of permits that all processes share. Permits are held by a {@link Lease}, so that those of a process that
 * dies come back when its leases run out. First come, first served: who waits for many permits is not overtaken by
 * those who want one, unless the options are {@linkplain LockOptions#unfair() unfair}.
 *
 * <p>The number is what each asker says it is. While processes disagree, as in a rolling change, each keeps to its own:
 * one that knows of 5 waits while 5 or more are out. A name is either a semaphore or a lock at any one time: permits
 * and locks of one name exclude each other. Thread-safe.
 */
public final class DistributedSemaphore {
    private final Locks locks;
    private final String name;
    private final int max;
    private final LockOptions options;

    DistributedSemaphore(Locks locks, String name, int max, LockOptions options) {
        this.locks = locks;
        this.name = Names.requireValid("semaphore name", name);
        this.max = LockMode.permits(1, max).max();
        this.options = options;
    }

    /** The name of this semaphore. */
    public String name() {
        return name;
    }

    /** Waits for one permit; as {@link #acquire(int, Duration)}. */
    public Lease acquire(Duration wait) throws InterruptedException {
        return acquire(1, wait);
    }

    /**
     * Waits for some permits; closing the lease gives all of them back.
     *
     * @param permits how many, from 1 to the number that there are
     * @param wait how long at most, more than zero
     * @throws LockTimeoutException if they were not to be had in that time
     * @throws InterruptedException if the thread is interrupted; nothing is held then
     */
    public Lease acquire(int permits, Duration wait) throws InterruptedException {
        return some(permits).acquire(wait);
    }

    /** Takes one permit if one is free and nobody waits. One round trip. */
    public Optional<Lease> tryAcquire() {
        return tryAcquire(1);
    }

    /** Takes some permits if they are free and nobody waits. One round trip. */
    public Optional<Lease> tryAcquire(int permits) {
        return some(permits).tryAcquire();
    }

    /** {@link #acquire(int, Duration)}, or nothing. */
    public Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException {
        return some(permits).tryAcquire(wait);
    }

    /** {@link #acquire(int, Duration)} without a thread; cancelled as {@link DistributedLock#acquireAsync} is. */
    public CompletionStage<Lease> acquireAsync(int permits, Duration wait) {
        return some(permits).acquireAsync(wait);
    }

    /** How many permits are free at this moment, whether or not somebody waits for them. One round trip. */
    public int available() {
        int taken = locks.inspect(name).stream()
                .flatMap(view -> view.holders().stream())
                .map(LockView.HolderView::mode)
                .mapToInt(mode -> mode.kind() == LockMode.Kind.PERMITS ? mode.permits() : max)
                .sum();
        return Math.max(0, max - taken);
    }

    @Override
    public String toString() {
        return "DistributedSemaphore[" + name + ", " + max + "]";
    }

    private DistributedLock some(int permits) {
        return new DistributedLock(locks, Wish.of(name, LockMode.permits(permits, max), options));
    }
}
