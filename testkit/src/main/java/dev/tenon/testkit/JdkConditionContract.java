package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** The part of {@link JdkLockContract} that is about {@link Condition}, waits and signals within one process. */
public abstract class JdkConditionContract extends JdkLockContract {
    /**
     * A thread that holds the lock once, calls this, and unlocks; when this method returns, it waits without the lock.
     */
    private static <T> Running<T> startWaiting(Lock lock, Callable<T> wait) throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        Running<T> waiter = start(() -> {
            lock.lock();
            try {
                locked.countDown();
                return wait.call();
            } finally {
                lock.unlock();
            }
        });
        assertThat(locked.await(25, TimeUnit.SECONDS)).isTrue();
        lock.lock(); // not to be had before the other one waits
        lock.unlock();
        return waiter;
    }

    /** Every way to wait, each for longer than any test. */
    private static List<Callable<?>> waits(Condition condition) {
        Date tomorrow = new Date(System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1));
        return List.of(
                () -> {
                    condition.await();
                    return true;
                },
                () -> condition.await(1, TimeUnit.DAYS),
                () -> condition.awaitNanos(TimeUnit.DAYS.toNanos(1)) > 0,
                () -> condition.awaitUntil(tomorrow),
                () -> {
                    condition.awaitUninterruptibly();
                    return true;
                });
    }

    private static void signal(Lock lock, Condition condition) {
        lock.lock();
        condition.signal();
        lock.unlock();
    }

    @Test
    void whoDoesNotHoldTheLockNeitherWaitsNorSignals() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        List<Callable<?>> calls = new ArrayList<>(waits(condition));
        calls.add(() -> {
            condition.signal();
            return null;
        });
        calls.add(() -> {
            condition.signalAll();
            return null;
        });
        Running<?> waiter = startWaiting(lock, () -> {
            condition.await();
            return null;
        });
        for (Callable<?> call : calls) {
            assertThatThrownBy(call::call).isInstanceOf(IllegalMonitorStateException.class);
        }
        lock.lock();
        start(() -> {
                    for (Callable<?> call : calls) {
                        assertThatThrownBy(call::call).isInstanceOf(IllegalMonitorStateException.class);
                    }
                    return null;
                })
                .result();
        assertThat(waiter.task()).isNotDone();
        condition.signal(); // and none of those above takes it away
        lock.unlock();
        waiter.result();
    }

    @Test
    void whoWaitsLetsGoAltogetherAndComesBackAsBefore() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        for (Callable<?> wait : waits(condition)) {
            Running<Integer> waiter = startWaiting(lock, () -> {
                lock.lock();
                lock.lock();
                assertThat(wait.call()).isEqualTo(true);
                int holds = holdCount(lock);
                lock.unlock();
                lock.unlock();
                return holds;
            });
            signal(lock, condition);
            assertThat(waiter.result()).isEqualTo(3);
        }
        assertThat(isFreeForOthers(lock)).isTrue();
    }

    @Test
    void signalWakesOneInTheOrderOfWaitingAndSignalAllWakesAll() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        List<Running<?>> waiters = new ArrayList<>();
        Queue<Integer> woken = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            waiters.add(startWaiting(lock, () -> {
                condition.await();
                return woken.add(number);
            }));
        }
        signal(lock, condition);
        waiters.get(0).result();
        signal(lock, condition);
        waiters.get(1).result();
        assertThat(woken).containsExactly(0, 1);
        lock.lock();
        condition.signalAll();
        assertThat(woken).as("still locked").hasSize(2);
        lock.unlock();
        waiters.get(2).result();
        waiters.get(3).result();
        assertThat(woken).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void aSignalThatNobodyWaitsForIsNotKeptAndTwoConditionsAreTwo() throws Exception {
        Lock lock = javaLock();
        Condition one = lock.newCondition();
        Condition other = lock.newCondition();
        Running<?> waiter = startWaiting(lock, () -> {
            one.await();
            return null;
        });
        lock.lock();
        other.signal();
        other.signalAll();
        assertThat(other.await(10, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(waiter.task()).isNotDone();
        one.signal();
        lock.unlock();
        waiter.result();
    }

    @Test
    void aTimedWaitEndsInTimeAndHoldsTheLockAgain() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        lock.lock();
        lock.lock();
        long start = System.nanoTime();
        assertThat(condition.awaitNanos(TimeUnit.MILLISECONDS.toNanos(10))).isNotPositive();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(10));
        assertThat(condition.await(10, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(condition.awaitUntil(new Date(System.currentTimeMillis() + 10)))
                .isFalse();
        assertThat(condition.awaitUntil(new Date(0))).isFalse();
        assertThat(condition.awaitUntil(new Date(Long.MIN_VALUE))).isFalse();
        for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(condition.awaitNanos(none)).isNotPositive();
            assertThat(condition.await(none, TimeUnit.DAYS)).isFalse();
        }
        assertThat(holdCount(lock)).isEqualTo(2);
        assertThat(isFreeForOthers(lock)).isFalse();
        lock.unlock();
        lock.unlock();
    }

    @Test
    void whatIsLeftOfTheTimeIsTold() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        Running<Long> waiter = startWaiting(lock, () -> condition.awaitNanos(Long.MAX_VALUE));
        signal(lock, condition);
        assertThat(waiter.result()).isBetween(Long.MAX_VALUE - TimeUnit.HOURS.toNanos(1), Long.MAX_VALUE);
    }

    @Test
    void anInterruptThatIsSetEndsTheInterruptibleWaitsAtOnce() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        lock.lock();
        for (Callable<?> wait : waits(condition).subList(0, 4)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(wait::call).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(holdCount(lock)).isEqualTo(1);
        }
        lock.unlock();
    }

    @Test
    void anInterruptEndsTheInterruptibleWaitsWithTheLockHeldAgain() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        for (Callable<?> wait : waits(condition).subList(0, 4)) {
            Running<Integer> waiter = startWaiting(lock, () -> {
                lock.lock();
                assertThatThrownBy(wait::call).isInstanceOf(InterruptedException.class);
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                int holds = holdCount(lock);
                lock.unlock();
                return holds;
            });
            lock.lock();
            waiter.thread().interrupt();
            awaitParked(waiter);
            assertThat(waiter.task()).as("it is not back without the lock").isNotDone();
            lock.unlock();
            assertThat(waiter.result()).isEqualTo(2);
        }
    }

    @Test
    void noInterruptEndsAnUninterruptibleWait() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        Running<Boolean> waiter = startWaiting(lock, () -> {
            condition.awaitUninterruptibly();
            return Thread.interrupted();
        });
        for (int interrupts = 0; interrupts < 2; interrupts++) {
            waiter.thread().interrupt();
            awaitParked(waiter);
            assertThat(waiter.task()).isNotDone();
        }
        signal(lock, condition);
        assertThat(waiter.result()).as("the interrupt is left for others").isTrue();
    }

    @Test
    void anInterruptAfterTheSignalIsLeftForOthers() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        Running<Boolean> waiter = startWaiting(lock, () -> {
            condition.await();
            return Thread.interrupted();
        });
        lock.lock();
        condition.signal();
        waiter.thread().interrupt();
        lock.unlock();
        assertThat(waiter.result()).isTrue();
    }

    @Test
    void aSignalDoesNotGoToOneThatHasLeft() throws Exception {
        Lock lock = javaLock();
        Condition condition = lock.newCondition();
        Running<?> leaving = startWaiting(lock, () -> {
            assertThatThrownBy(condition::await).isInstanceOf(InterruptedException.class);
            return null;
        });
        Running<?> timed = startWaiting(lock, () -> condition.await(1, TimeUnit.MILLISECONDS));
        Running<?> staying = startWaiting(lock, () -> {
            condition.await();
            return null;
        });
        leaving.thread().interrupt();
        leaving.result();
        timed.result();
        signal(lock, condition);
        staying.result();
    }

    @Test
    void aBoundedBufferLosesNothing() throws Exception {
        Lock lock = javaLock();
        Condition notFull = lock.newCondition();
        Condition notEmpty = lock.newCondition();
        Queue<Integer> buffer = new ArrayDeque<>();
        List<Running<Integer>> parties = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            boolean puts = p % 2 == 0;
            parties.add(start(() -> {
                int sum = 0;
                for (int i = 1; i <= 10; i++) {
                    lock.lock();
                    try {
                        while (puts ? buffer.size() == 2 : buffer.isEmpty()) {
                            (puts ? notFull : notEmpty).await();
                        }
                        sum += puts ? put(buffer, i) : buffer.remove();
                        (puts ? notEmpty : notFull).signal();
                    } finally {
                        lock.unlock();
                    }
                }
                return sum;
            }));
        }
        int sum = 0;
        for (Running<Integer> party : parties) {
            sum += party.result();
        }
        assertThat(sum).as("what was taken").isEqualTo(2 * 55);
    }

    private static int put(Queue<Integer> buffer, int number) {
        buffer.add(number);
        return 0;
    }
}
