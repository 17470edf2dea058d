package dev.tenon.testkit.faults;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.DistributedReadWriteLock;
import dev.tenon.lock.DistributedSemaphore;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.ThreadOwnedLock;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Entered;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Left;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * One thread that takes and leaves locks at random (a mutex, a read-write lock, a semaphore, a reentrant lock) and
 * tells what happened and when: a {@link dev.tenon.testkit.history.History}. Its leases are short, and now and then it
 * lets one run out.
 */
final class RandomHolder {
    private static final Duration LEASE = Duration.ofMillis(700);
    /** Longer than any fault lasts: going in and out knows nothing of leases. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(5);

    private static final int WAIT_MILLIS_MAX = 1500;
    private static final long CLOSE_SECONDS = 5;
    private static final int PERMITS = 3;
    private static final String AGAIN = ":again-";

    private final Locks locks;
    private final String process;
    private final String prefix;
    private final Random random;
    private final BiConsumer<String, Operation> told;

    /**
     * @param process a name of its own, without blanks
     * @param prefix what the names of its locks begin with
     */
    RandomHolder(Locks locks, String process, String prefix, long seed, BiConsumer<String, Operation> told) {
        this.locks = locks;
        this.process = process;
        this.prefix = prefix;
        this.random = new Random(seed);
        this.told = told;
    }

    /** Whether the histories of this lock are of threads that go in and out. */
    static boolean isReentrant(String lock) {
        return lock.contains(AGAIN);
    }

    /** Goes on until it is over, and a little longer. */
    void runUntil(BooleanSupplier over) throws InterruptedException {
        while (!over.getAsBoolean()) {
            step();
        }
    }

    private void step() throws InterruptedException {
        boolean runsOut = random.nextInt(25) == 0;
        LockOptions options = LockOptions.DEFAULT.withLease(LEASE);
        LockOptions kept = runsOut ? options.withoutRenewal() : options;
        DistributedReadWriteLock readWrite = locks.readWriteLock(prefix + ":rw", kept);
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                DistributedLock mutex = locks.lock(prefix + ":mutex", kept);
                hold(mutex.name(), LockMode.EXCLUSIVE, runsOut, () -> mutex.tryAcquire(waitTime()));
            }
            case 3 ->
                hold(
                        readWrite.name(),
                        LockMode.SHARED,
                        runsOut,
                        () -> readWrite.readLock().tryAcquire(waitTime()));
            case 4 ->
                hold(
                        readWrite.name(),
                        LockMode.UPDATE,
                        runsOut,
                        () -> readWrite.updateLock().tryAcquire(waitTime()));
            case 5 ->
                hold(
                        readWrite.name(),
                        LockMode.EXCLUSIVE,
                        runsOut,
                        () -> readWrite.writeLock().tryAcquire(waitTime()));
            case 6 -> {
                DistributedSemaphore semaphore = locks.semaphore(prefix + ":permits", PERMITS, kept);
                int permits = 1 + random.nextInt(2);
                LockMode mode = LockMode.permits(permits, PERMITS);
                hold(semaphore.name(), mode, runsOut, () -> semaphore.tryAcquire(permits, waitTime()));
            }
            default -> goIn();
        }
    }

    private interface Attempt {
        Optional<Lease> run() throws InterruptedException;
    }

    private Duration waitTime() {
        return Duration.ofMillis(1 + random.nextInt(WAIT_MILLIS_MAX));
    }

    private void hold(String lock, LockMode mode, boolean runsOut, Attempt attempt) throws InterruptedException {
        long invoked = System.nanoTime();
        Optional<Lease> got;
        try {
            got = attempt.run();
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            return; // what it may have been granted holds others up, and lets nobody in
        }
        if (got.isEmpty()) {
            return;
        }
        Lease lease = got.get();
        long certainUntil = Math.max(invoked, certainUntil(lease));
        Granted granted = new Granted(lease.token(), mode);
        told.accept(lock, Operation.answered(process, granted, invoked, System.nanoTime()));
        while (runsOut && lease.state() != Lease.State.LOST || random.nextInt(4) == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(5)));
            certainUntil = Math.max(certainUntil, certainUntil(lease));
        }
        long givenUp = System.nanoTime();
        if (lease.state() != Lease.State.LOST && isClosed(lease)) {
            told.accept(lock, Operation.answered(process, new Freed(lease.token()), givenUp, System.nanoTime()));
        } else {
            told.accept(lock, Operation.perhaps(process, new Freed(lease.token()), Math.min(givenUp, certainUntil)));
        }
        // The store alone knows when it ended, if it was not given back in time; not before its holder gave up hope.
        told.accept(lock, Operation.perhaps("store", new Freed(lease.token()), certainUntil));
    }

    /**
     * How long the holder may rely on it: the store must not end it before. A lease that is lost ended some time ago.
     */
    private static long certainUntil(Lease lease) {
        long now = System.nanoTime();
        long left = lease.remaining().toNanos();
        return left == 0 ? Long.MIN_VALUE : now + left;
    }

    private static boolean isClosed(Lease lease) throws InterruptedException {
        try {
            lease.closeAsync().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
            return lease.state() == Lease.State.RELEASED;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private void goIn() throws InterruptedException {
        String name = prefix + AGAIN + random.nextInt(4);
        ThreadOwnedLock lock =
                locks.lock(name, LockOptions.DEFAULT.withLease(LONG_LEASE)).asJavaLock();
        int depth = 0;
        try {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                long invoked = System.nanoTime();
                if (lock.tryLock(waitTime().toMillis(), TimeUnit.MILLISECONDS)) {
                    depth++;
                    told.accept(name, Operation.answered(process, new Entered(), invoked, System.nanoTime()));
                }
            }
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            // As often as it went in, it comes out.
        }
        for (; depth > 0; depth--) {
            long invoked = System.nanoTime();
            lock.unlock();
            told.accept(name, Operation.answered(process, new Left(), invoked, System.nanoTime()));
        }
    }
}
