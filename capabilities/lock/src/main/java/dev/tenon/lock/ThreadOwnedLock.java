package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.stream.Stream;

/**
 * {@link DistributedLock} with the contract of {@link Lock}: owned by a thread, reentrant. What a thread holds is kept
 * with {@link Locks}, by name, so that every view of a name sees it. Thread-safe.
 */
public final class ThreadOwnedLock implements Lock {
    private final Locks locks;
    private final DistributedLock lock;
    private final LockMode mode;

    ThreadOwnedLock(Locks locks, DistributedLock lock, LockMode mode) {
        this.locks = locks;
        this.lock = lock;
        this.mode = mode;
    }

    /** The two sides of a read-write lock. */
    record Pair(Lock readLock, Lock writeLock) implements ReadWriteLock {}

    /**
     * Whose hold of what. A thread that has lost its lease keeps its hold, beside that of the next one, until it
     * unlocks.
     */
    record HoldKey(String name, LockMode mode, Thread owner) {}

    /** A lease in the hands of a thread. Only that thread changes it. */
    static final class Hold {
        /** Of a reader that is the writer too: the writer's, until that unlocks. */
        private Lease lease;

        private int count = 1;

        Hold(Lease lease) {
            this.lease = lease;
        }
    }

    @Override
    public void lock() {
        // Cleared for the time of the call: the store's client may be at work on this thread, and would heed the
        // interrupt.
        boolean interrupted = Thread.interrupted();
        try {
            acquire(lock::tryAcquireUninterruptibly);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        acquire(lock::tryAcquire);
    }

    @Override
    public boolean tryLock() {
        return reenter()
                || blockingOwn().isEmpty() && lock.tryAcquire().map(this::own).orElse(false);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (reenter()) {
            return true;
        }
        if (blockingOwn().isPresent()) {
            return false;
        }
        if (time <= 0) {
            return lock.tryAcquire().map(this::own).orElse(false);
        }
        Duration wait = Duration.ofNanos(unit.toNanos(time));
        Duration bounded = wait.compareTo(Acquire.WAIT_MAX) > 0 ? Acquire.WAIT_MAX : wait;
        return lock.tryAcquire(bounded).map(this::own).orElse(false);
    }

    @Override
    public void unlock() {
        Hold hold = requireHold();
        hold.count--;
        if (hold.count > 0) {
            return;
        }
        locks.threadHolds().remove(key());
        if (isShared()
                && holdIn(LockMode.EXCLUSIVE).filter(w -> w.lease == hold.lease).isPresent()) {
            return; // it read what it also wrote, and writes on
        }
        Optional<Hold> reader = isExclusive() ? holdIn(LockMode.SHARED) : Optional.empty();
        boolean wasLost = hold.lease.state() == Lease.State.LOST;
        if (reader.isPresent()) {
            wasLost |= !stepDown(reader.get());
        } else {
            hold.lease.close();
        }
        if (wasLost) {
            throw new LeaseLostException("Lock \"" + lock.name() + "\" (token " + hold.lease.token()
                    + ") was lost before it was unlocked: another may have held it meanwhile");
        }
    }

    /** A condition among the threads of this process; only the exclusive lock has one, as in the JDK. */
    @Override
    public Condition newCondition() {
        if (!isExclusive()) {
            throw new UnsupportedOperationException("Only the write lock has conditions, and this is " + this);
        }
        return new LocalCondition(this);
    }

    /**
     * Whether this thread has locked it, and not unlocked it; true still if the lease was lost meanwhile. No round
     * trip.
     */
    public boolean isHeldByCurrentThread() {
        return locks.threadHolds().containsKey(key());
    }

    /** How often this thread must unlock it; zero if it does not hold it. No round trip. */
    public int holdCount() {
        Hold hold = locks.threadHolds().get(key());
        return hold == null ? 0 : hold.count;
    }

    /**
     * Unlocks however often the thread has locked; the answer is how often.
     *
     * @throws LeaseLostException if the lease was lost: the thread has still to unlock then, as after any other failure
     */
    int unlockFully() {
        Hold hold = requireHold();
        requireNotLost(hold);
        if (holdIn(LockMode.SHARED).isPresent()) {
            throw new IllegalMonitorStateException(
                    "Thread " + Thread.currentThread().getName() + " reads under its own write lock \"" + lock.name()
                            + "\": unlock the read lock before waiting");
        }
        locks.threadHolds().remove(key());
        hold.lease.close();
        return hold.count;
    }

    /** Locks again as often as before {@link #unlockFully}. */
    void lockAgain(int count) {
        lock();
        requireHold().count = count;
    }

    @Override
    public String toString() {
        return "Lock[" + lock.name() + (isExclusive() ? "" : ", " + mode.kind()) + "]";
    }

    private <E extends Exception> void acquire(Waiting<E> waiting) throws E {
        if (reenter()) {
            return;
        }
        requireNotWaitingForItself();
        while (true) {
            try {
                Optional<Lease> lease = waiting.await(Acquire.WAIT_MAX);
                if (lease.isPresent()) {
                    own(lease.get());
                    return;
                }
            } catch (BackendUnavailableException | OutcomeUnknownException storeIsDown) {
                // The contract of Lock knows no failure: like a lock that is held for long, this one is waited for.
                continue;
            }
        }
    }

    /** One way of waiting for the lock. */
    private interface Waiting<E extends Exception> {
        Optional<Lease> await(Duration wait) throws E;
    }

    private boolean reenter() {
        Hold hold = locks.threadHolds().get(key());
        if (hold == null) {
            Optional<Hold> writer = isShared() ? holdIn(LockMode.EXCLUSIVE) : Optional.empty();
            writer.ifPresent(this::requireNotLost);
            return writer.isPresent() && own(writer.get().lease);
        }
        requireNotLost(hold);
        if (hold.count == Integer.MAX_VALUE) {
            throw new IllegalStateException("Lock \"" + lock.name() + "\" is locked too often by one thread");
        }
        hold.count++;
        return true;
    }

    private void requireNotLost(Hold hold) {
        if (hold.lease.state() == Lease.State.LOST) {
            throw new LeaseLostException("Lock \"" + lock.name() + "\" (token " + hold.lease.token()
                    + ") was lost; unlock it, and lock it anew");
        }
    }

    private boolean own(Lease lease) {
        locks.threadHolds().put(key(), new Hold(lease));
        return true;
    }

    private Hold requireHold() {
        Hold hold = locks.threadHolds().get(key());
        if (hold == null) {
            throw new IllegalMonitorStateException("Lock \"" + lock.name() + "\" is not held by thread "
                    + Thread.currentThread().getName());
        }
        return hold;
    }

    /** Makes the writer, who also reads, a reader only. False: the lease is lost. */
    private boolean stepDown(Hold reader) {
        try {
            reader.lease = locks.weaken(reader.lease, LockMode.SHARED);
        } catch (LeaseLostException lost) {
            return false;
        } catch (BackendUnavailableException | OutcomeUnknownException storeIsDown) {
            // It reads on under the stronger lease, if that is still held; its last unlock gives it back, or says so.
            return reader.lease.state() != Lease.State.LOST;
        }
        return true;
    }

    private void requireNotWaitingForItself() {
        blockingOwn().ifPresent(kind -> {
            throw new IllegalStateException(
                    "Thread " + Thread.currentThread().getName() + " holds lock \""
                            + lock.name() + "\" as " + kind + " and asks for it as " + mode.kind()
                            + ": it would wait for itself for ever. Unlock first, or take the update lock and upgrade its lease");
        });
    }

    /** In which mode this thread itself holds the lock, if it can't have it in this one meanwhile. */
    private Optional<LockMode.Kind> blockingOwn() {
        return Stream.of(LockMode.EXCLUSIVE, LockMode.SHARED, LockMode.UPDATE)
                .filter(other -> !other.equals(mode) && !mode.fitsBeside(List.of(other)))
                .filter(other -> holdIn(other).isPresent())
                .map(LockMode::kind)
                .findFirst();
    }

    private boolean isExclusive() {
        return mode.equals(LockMode.EXCLUSIVE);
    }

    private boolean isShared() {
        return mode.equals(LockMode.SHARED);
    }

    private Optional<Hold> holdIn(LockMode other) {
        return Optional.ofNullable(locks.threadHolds().get(new HoldKey(lock.name(), other, Thread.currentThread())));
    }

    private HoldKey key() {
        return new HoldKey(lock.name(), mode, Thread.currentThread());
    }
}
