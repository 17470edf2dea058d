package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * {@link DistributedLock} with the contract of {@link Lock}: owned by a thread, reentrant. What a thread holds is kept
 * with {@link Locks}, by name, so that every view of a name sees it.
 */
final class ThreadOwnedLock implements Lock {
    private final Locks locks;
    private final DistributedLock lock;

    ThreadOwnedLock(Locks locks, DistributedLock lock) {
        this.locks = locks;
        this.lock = lock;
    }

    /** Whose hold of what. A thread that has lost its lease keeps its hold, beside that of the next one, until it unlocks. */
    record HoldKey(String name, Thread owner) {}

    /** A lease in the hands of a thread. Only that thread changes it. */
    static final class Hold {
        private final Lease lease;

        private int count = 1;

        Hold(Lease lease) {
            this.lease = lease;
        }
    }

    @Override
    public void lock() {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    lockInterruptibly();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
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
        if (reenter()) {
            return;
        }
        while (true) {
            try {
                Optional<Lease> lease = lock.tryAcquire(Acquire.WAIT_MAX);
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

    @Override
    public boolean tryLock() {
        return reenter() || lock.tryAcquire().map(this::own).orElse(false);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (reenter()) {
            return true;
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
        boolean wasLost = hold.lease.state() == Lease.State.LOST;
        hold.lease.close();
        if (wasLost) {
            throw new LeaseLostException("Lock \"" + lock.name() + "\" (token " + hold.lease.token()
                    + ") was lost before it was unlocked: another may have held it meanwhile");
        }
    }

    /** A condition among the threads of this process. */
    @Override
    public Condition newCondition() {
        return new LocalCondition(this);
    }

    boolean isHeldByCurrentThread() {
        return locks.threadHolds().containsKey(key());
    }

    /** Unlocks however often the thread has locked; the answer is how often. */
    int unlockFully() {
        Hold hold = requireHold();
        int count = hold.count;
        hold.count = 1;
        unlock();
        return count;
    }

    /** Locks again as often as before {@link #unlockFully}. */
    void lockAgain(int count) {
        lock();
        requireHold().count = count;
    }

    @Override
    public String toString() {
        return "Lock[" + lock.name() + "]";
    }

    private boolean reenter() {
        Hold hold = locks.threadHolds().get(key());
        if (hold == null) {
            return false;
        }
        if (hold.lease.state() == Lease.State.LOST) {
            throw new LeaseLostException("Lock \"" + lock.name() + "\" (token " + hold.lease.token()
                    + ") was lost; unlock it, and lock it anew");
        }
        if (hold.count == Integer.MAX_VALUE) {
            throw new IllegalStateException("Lock \"" + lock.name() + "\" is locked too often by one thread");
        }
        hold.count++;
        return true;
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

    private HoldKey key() {
        return new HoldKey(lock.name(), Thread.currentThread());
    }
}
