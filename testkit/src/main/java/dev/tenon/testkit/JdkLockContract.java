package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;

/**
 * What {@code java.util.concurrent.locks} says of a fair reentrant lock (the Javadoc of {@link Lock} and {@link
 * java.util.concurrent.locks.ReentrantLock}). The JDK's own classes pass it, and so must every other implementation.
 */
public abstract class JdkLockContract {
    private static final long PATIENCE_SECONDS = 15;

    /** The lock under test, free at the start of a test; if asked twice in a test, the same lock. */
    protected abstract Lock javaLock();

    /** The read-write lock under test, free at the start of a test; if asked twice in a test, the same lock. */
    protected abstract ReadWriteLock javaReadWriteLock();

    /** How often this thread holds a lock that came from {@link #javaLock}. */
    protected abstract int holdCount(Lock lock);

    /** A thread, and what came of it. */
    record Running<T>(Thread thread, FutureTask<T> task) {
        T result() throws Exception {
            return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    static <T> Running<T> start(Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = DaemonThreads.of("tenon-test-party", task);
        thread.start();
        return new Running<>(thread, task);
    }

    /** A thread that waits for the lock, which this thread holds. */
    static <T> Running<T> startAndPark(Callable<T> body) {
        Running<T> running = start(body);
        awaitParked(running);
        return running;
    }

    static void awaitParked(Running<?> running) {
        await().atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> running.thread().getState() == Thread.State.WAITING
                        || running.thread().getState() == Thread.State.TIMED_WAITING);
    }

    /** Whether another thread gets the lock, which it gives back then. */
    static boolean isFreeForOthers(Lock lock) throws Exception {
        return start(() -> {
                    boolean got = lock.tryLock();
                    if (got) {
                        lock.unlock();
                    }
                    return got;
                })
                .result();
    }

    static boolean takenInTime(Lock lock) throws InterruptedException {
        return lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aThreadLocksAgainWhatItHoldsAndUnlocksAsOften() throws Exception {
        Lock lock = javaLock();
        assertThat(holdCount(lock)).isZero();
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.DAYS)).isTrue();
        assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
        for (int holds = 5; holds > 0; holds--) {
            assertThat(holdCount(lock)).isEqualTo(holds);
            assertThat(isFreeForOthers(lock)).isFalse();
            lock.unlock();
        }
        assertThat(holdCount(lock)).isZero();
        assertThat(isFreeForOthers(lock)).isTrue();
    }

    @Test
    void onlyTheOwnerUnlocksAndOnlyAsOftenAsItLocked() throws Exception {
        Lock lock = javaLock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        Running<?> other = start(() -> {
            assertThat(holdCount(lock)).isZero();
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            return null;
        });
        other.result();
        assertThat(holdCount(lock)).isEqualTo(1);
        assertThat(isFreeForOthers(lock)).isFalse();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void anInterruptThatIsSetEndsTheInterruptibleWaysAndNotTheOthers() throws Exception {
        Lock lock = javaLock();
        for (int holds = 0; holds < 2; holds++) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.tryLock(0, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(holdCount(lock)).as("as before").isEqualTo(2 * holds);

            Thread.currentThread().interrupt();
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            assertThat(Thread.interrupted())
                    .as("the interrupt is left for others")
                    .isTrue();
            assertThat(holdCount(lock)).isEqualTo(2 * holds + 2);
        }
        for (int holds = 4; holds > 0; holds--) {
            lock.unlock();
        }
    }

    @Test
    void anInterruptEndsTheInterruptibleWaits() throws Exception {
        Lock lock = javaLock();
        lock.lock();
        List<Callable<?>> waits = List.of(
                () -> {
                    lock.lockInterruptibly();
                    return null;
                },
                () -> lock.tryLock(1, TimeUnit.DAYS));
        for (Callable<?> wait : waits) {
            Running<?> waiter = startAndPark(() -> {
                assertThatThrownBy(wait::call).isInstanceOf(InterruptedException.class);
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                assertThat(holdCount(lock)).isZero();
                assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
                return null;
            });
            waiter.thread().interrupt();
            waiter.result();
        }
        lock.unlock();
        assertThat(start(() -> takenInTime(lock)).result()).isTrue();
    }

    @Test
    void noInterruptEndsAnUninterruptibleWaitNorTheSecondOne() throws Exception {
        Lock lock = javaLock();
        lock.lock();
        Running<Boolean> waiter = startAndPark(() -> {
            lock.lock();
            boolean stillSet = Thread.interrupted();
            assertThat(holdCount(lock)).isEqualTo(1);
            lock.unlock();
            return stillSet;
        });
        for (int interrupts = 0; interrupts < 2; interrupts++) {
            waiter.thread().interrupt();
            awaitParked(waiter);
            assertThat(waiter.task()).isNotDone();
        }
        lock.unlock();
        assertThat(waiter.result()).as("the interrupt is left for others").isTrue();
    }

    @Test
    void waitersAreServedInTheOrderOfArrivalAndAnInterruptCostsNoPlace() throws Exception {
        Lock lock = javaLock();
        lock.lock();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Running<?>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            waiters.add(startAndPark(() -> {
                lock.lock();
                served.add(number);
                lock.unlock();
                return null;
            }));
        }
        waiters.get(0).thread().interrupt();
        awaitParked(waiters.get(0));
        lock.unlock();
        for (Running<?> waiter : waiters) {
            waiter.result();
        }
        assertThat(served).containsExactly(0, 1, 2);
    }

    @Test
    void aTimedTryWaitsThatLongAndNotWithoutTime() throws Exception {
        Lock lock = javaLock();
        lock.lock();
        Running<?> other = start(() -> {
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(0, TimeUnit.DAYS)).isFalse();
            assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isFalse();
            assertThat(lock.tryLock(Long.MIN_VALUE, TimeUnit.NANOSECONDS)).isFalse();
            long start = System.nanoTime();
            assertThat(lock.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(holdCount(lock)).isZero();
            return null;
        });
        other.result();
        lock.unlock();
        assertThat(lock.tryLock(0, TimeUnit.DAYS)).isTrue();
        lock.unlock();
        assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isTrue();
        lock.unlock();
    }

    @Test
    void aTimedTryGetsWhatIsUnlockedMeanwhile() throws Exception {
        Lock lock = javaLock();
        lock.lock();
        Running<Integer> waiter = startAndPark(() -> {
            assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
            int holds = holdCount(lock);
            lock.unlock();
            return holds;
        });
        lock.unlock();
        assertThat(waiter.result()).isEqualTo(1);
        assertThat(isFreeForOthers(lock)).isTrue();
    }
}
