package dev.tenon.lock;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One lock, known by its name to every process that uses the same store; exclusive, but for the read and the update
 * side of a {@link DistributedReadWriteLock}. First come, first served among processes; threads of one process that
 * want it for themselves stand in line inside the process, so that a process asks the store once at a time. Not
 * reentrant: what owns the lock is the {@link Lease}, not a thread ({@link #asJavaLock} is reentrant).
 *
 * <p>Holding a lease is not a proof for others: between {@link Lease#ensure} and the next statement a process may pause
 * for longer than the lease. Pass {@link Lease#token()} to what the lock protects, and let that refuse smaller tokens.
 *
 * <p>Thread-safe.
 */
public final class DistributedLock {
    private final Locks locks;
    private final Wish wish;
    private final String name;

    DistributedLock(Locks locks, Wish wish) {
        this.locks = locks;
        this.wish = wish;
        this.name = Names.requireValid("lock name", wish.name());
    }

    /** The name of this lock. */
    public String name() {
        return name;
    }

    /**
     * Waits for the lock.
     *
     * @param wait how long at most, more than zero
     * @throws LockTimeoutException if it was not to be had in that time; if those who wait seem to wait for each other
     *     in a circle, its message names them
     * @throws InterruptedException if the thread is interrupted; nothing is held or queued then: the store has
     *     confirmed it. If it does not answer within 2 s, can't be reached, or the thread is interrupted once more
     *     meanwhile, the request is taken back in the background
     * @throws dev.tenon.BackendUnavailableException if the store can't be reached
     * @throws dev.tenon.OutcomeUnknownException if the store does not answer; what it may have granted is given back
     */
    public Lease acquire(Duration wait) throws InterruptedException {
        Wish.requireWait(wait);
        Optional<Lease> lease = tryAcquire(wait);
        if (lease.isEmpty()) {
            String owner = wish.owner().orElseGet(() -> locks.ownerOf(Thread.currentThread()));
            throw timeout(
                    wait,
                    wait.compareTo(DeadlockSearch.LONG_WAIT) < 0 ? "" : DeadlockSearch.circle(locks, owner, name));
        }
        return lease.get();
    }

    /** Takes the lock if it is free, in one round trip; in none if another thread of this process has it. */
    public Optional<Lease> tryAcquire() {
        return Locks.join(locks.start(wish, Duration.ZERO).result());
    }

    /**
     * Waits for the lock. An empty answer comes when the store has nothing of this request any more: after the time to
     * take it back, and two seconds later at most if the store is silent about a request that was sent before.
     *
     * @param wait how long at most, more than zero
     * @return empty if it was not to be had in that time
     * @throws InterruptedException as {@link #acquire} does
     */
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        Wish.requireWait(wait);
        return locks.start(wish, wait).await();
    }

    /**
     * {@link #tryAcquire(Duration)}, but interrupts neither end the wait nor cost the place in the queue; they stay
     * set.
     */
    Optional<Lease> tryAcquireUninterruptibly(Duration wait) {
        return Locks.join(locks.start(wish, wait).result());
    }

    /**
     * Waits for the lock without a thread. The stage fails with {@link LockTimeoutException} when the time is over.
     * Cancelling its future ({@link CompletionStage#toCompletableFuture}), or completing it otherwise, ends the wait;
     * if the lock is granted in that moment it is given back. (Cancelling a stage that depends on it does neither.) The
     * stage completes on a thread that Tenon has for this, so what follows may block: up to 64 at a time, more wait
     * their turn.
     *
     * @param wait how long at most, more than zero
     */
    public CompletionStage<Lease> acquireAsync(Duration wait) {
        Wish.requireWait(wait);
        Acquisition acquisition = locks.start(wish, wait);
        CompletableFuture<Lease> result = new CompletableFuture<>();
        result.whenComplete((lease, failure) -> acquisition.abandon()); // nothing, if it has ended
        // On a thread of nobody's: what a user does with the lease may block, and the store's own threads must not.
        acquisition
                .result()
                .whenCompleteAsync(
                        (lease, failure) -> {
                            if (failure != null) {
                                result.completeExceptionally(failure);
                            } else if (lease.isEmpty()) {
                                result.completeExceptionally(timeout(wait, ""));
                            } else if (!result.complete(lease.get())) {
                                lease.get().closeAsync(); // cancelled as it was granted
                            }
                        },
                        locks.events().callbacks());
        return result;
    }

    /**
     * This lock as the JDK has locks: owned by the thread that took it, reentrant (counted in the process, without a
     * round trip), with conditions that reach the threads of this process. All views of one name that come from one
     * {@link Locks} are one lock. {@code lock()} retries for as long as the store is down; {@code unlock()} throws
     * {@link dev.tenon.LeaseLostException} if the lease was lost before, and has unlocked then.
     */
    public ThreadOwnedLock asJavaLock() {
        return new ThreadOwnedLock(locks, this, wish.terms().mode());
    }

    @Override
    public String toString() {
        return "DistributedLock[" + name + "]";
    }

    private LockTimeoutException timeout(Duration wait, String circle) {
        return new LockTimeoutException("Lock \"" + name + "\" was not to be had within " + wait
                + "; `tenon lock who` or Locks.inspect tells who holds it" + circle);
    }
}
