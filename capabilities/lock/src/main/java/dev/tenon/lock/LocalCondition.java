package dev.tenon.lock;

import java.util.Date;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A {@link Condition} of a {@link ThreadOwnedLock}: waits and signals reach the threads of this process only. */
final class LocalCondition implements Condition {
    private final ThreadOwnedLock lock;
    /** Changed only by threads that hold the lock, but for a waiter that leaves after a time-out or an interrupt. */
    private final Queue<Semaphore> waiters = new ConcurrentLinkedQueue<>();

    LocalCondition(ThreadOwnedLock lock) {
        this.lock = lock;
    }

    @Override
    public void await() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        await(signal -> {
            signal.acquire();
            return true;
        });
    }

    @Override
    public void awaitUninterruptibly() {
        requireOwner();
        Semaphore signal = new Semaphore(0);
        waiters.add(signal);
        int count = leave(signal);
        try {
            signal.acquireUninterruptibly();
        } finally {
            lock.lockAgain(count);
        }
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public long awaitNanos(long nanosTimeout) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long wait = Math.max(0, nanosTimeout);
        long start = System.nanoTime();
        await(signal -> signal.tryAcquire(wait, TimeUnit.NANOSECONDS));
        return wait - (System.nanoTime() - start);
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        long now = System.currentTimeMillis();
        long millis = deadline.getTime() > now ? deadline.getTime() - now : 0;
        return await(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void signal() {
        requireOwner();
        signalNext();
    }

    @Override
    public void signalAll() {
        requireOwner();
        for (Semaphore next = waiters.poll(); next != null; next = waiters.poll()) {
            next.release();
        }
    }

    private void signalNext() {
        Semaphore next = waiters.poll();
        if (next != null) {
            next.release();
        }
    }

    private void await(Waiting waiting) throws InterruptedException {
        requireOwner(); // before it can be signalled: a signal must not go to a thread that never waits
        Semaphore signal = new Semaphore(0);
        waiters.add(signal);
        int count = leave(signal);
        try {
            waiting.await(signal);
            waiters.remove(signal);
        } catch (InterruptedException e) {
            if (waiters.remove(signal)) {
                throw e;
            }
            // Signalled and interrupted at once: the signal must not be lost, so it counts, and the interrupt stays
            // set.
            Thread.currentThread().interrupt();
        } finally {
            lock.lockAgain(count);
        }
    }

    private int leave(Semaphore signal) {
        try {
            return lock.unlockFully();
        } catch (RuntimeException notLocked) {
            if (!waiters.remove(signal)) {
                signalNext(); // the signal that this one can't use is another's
            }
            throw notLocked;
        }
    }

    private void requireOwner() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException(
                    lock + " is not held by thread " + Thread.currentThread().getName());
        }
    }

    /** One way of waiting for a signal. */
    private interface Waiting {
        boolean await(Semaphore signal) throws InterruptedException;
    }
}
