package dev.tenon.lock;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/**
 * One lock, known by its name to every process that uses the same store. Exclusive, first come, first served among
 * processes; threads of one process stand in line inside the process, so that a process asks the store once at a time.
 * Not reentrant: what owns the lock is the {@link Lease}, not a thread ({@link #asJavaLock} is reentrant).
 *
 * <p>Holding a lease is not a proof for others: between {@link Lease#ensure} and the next statement a process may pause
 * for longer than the lease. Pass {@link Lease#token()} to what the lock protects, and let that refuse smaller tokens.
 *
 * <p>Thread-safe.
 */
public final class DistributedLock {
    private final Locks locks;
    private final String name;
    private final LockOptions options;

    DistributedLock(Locks locks, String name, LockOptions options) {
        this.locks = locks;
        this.name = Names.requireValid("lock name", name);
        this.options = options;
    }

    /** The name of this lock. */
    public String name() {
        return name;
    }

    /**
     * Waits for the lock.
     *
     * @param wait how long at most, more than zero
     * @throws LockTimeoutException if it was not to be had in that time
     * @throws InterruptedException if the thread is interrupted; nothing is held then
     * @throws dev.tenon.BackendUnavailableException if the store can't be reached
     * @throws dev.tenon.OutcomeUnknownException if the store does not answer; what it may have granted is given back
     */
    public Lease acquire(Duration wait) throws InterruptedException {
        Acquisition.requireWait(wait);
        return tryAcquire(wait).orElseThrow(() -> timeout(wait));
    }

    /** Takes the lock if it is free, in one round trip; in none if another thread of this process has it. */
    public Optional<Lease> tryAcquire() {
        return locks.start(name, options, Duration.ZERO).joinAtOnce();
    }

    /**
     * Waits for the lock.
     *
     * @param wait how long at most, more than zero
     * @return empty if it was not to be had in that time
     * @throws InterruptedException if the thread is interrupted; nothing is held then
     */
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        Acquisition.requireWait(wait);
        return locks.start(name, options, wait).await();
    }

    /**
     * Waits for the lock without a thread. The stage fails with {@link LockTimeoutException} when the time is over.
     * Cancelling the stage's future does not end the wait; close the lease when it comes. The stage completes on a thread of
     * {@link java.util.concurrent.ForkJoinPool#commonPool}.
     *
     * @param wait how long at most, more than zero
     */
    public CompletionStage<Lease> acquireAsync(Duration wait) {
        Acquisition.requireWait(wait);
        CompletableFuture<Lease> result = new CompletableFuture<>();
        // On a thread of nobody's: what a user does with the lease may block, and the store's own threads must not.
        locks.start(name, options, wait).result().whenCompleteAsync((lease, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (lease.isEmpty()) {
                result.completeExceptionally(timeout(wait));
            } else {
                result.complete(lease.get());
            }
        });
        return result;
    }

    /**
     * This lock as the JDK has locks: owned by the thread that took it, reentrant (counted in the process, without a round
     * trip), with conditions that reach the threads of this process. All views of one name that come from one {@link
     * Locks} are one lock. {@code lock()} retries for as long as the store is down; {@code unlock()} throws {@link
     * dev.tenon.LeaseLostException} if the lease was lost before, and has unlocked then.
     */
    public Lock asJavaLock() {
        return new ThreadOwnedLock(locks, this);
    }

    @Override
    public String toString() {
        return "DistributedLock[" + name + "]";
    }

    private LockTimeoutException timeout(Duration wait) {
        return new LockTimeoutException("Lock \"" + name + "\" was not to be had within " + wait
                + "; `tenon lock who` or Locks.inspect tells who holds it");
    }
}
