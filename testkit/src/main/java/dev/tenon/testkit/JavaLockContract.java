package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.ThreadOwnedLock;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** The part of {@link DistributedLockContract} that is about {@link DistributedLock#asJavaLock}. */
public abstract class JavaLockContract extends LockKindsContract {
    @Test
    void aJavaLockIsReentrantPerThread() throws Exception {
        ThreadOwnedLock lock = here.lock(name).asJavaLock();
        assertThat(lock.holdCount()).isZero();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(threads.submit(() -> lock.holdCount() + (lock.isHeldByCurrentThread() ? 1 : 0))
                        .get(25, TimeUnit.SECONDS))
                .isZero();
        assertThat(here.lock(name).asJavaLock().tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(threads.submit(() -> lock.tryLock()).get(25, TimeUnit.SECONDS))
                .isFalse();
        lock.unlock();
        lock.unlock();
        assertThat(there.lock(name).tryAcquire()).isEmpty();
        lock.unlock();
        there.lock(name).tryAcquire().orElseThrow().close();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aJavaLockIsUnlockedByItsThreadOnly() throws Exception {
        Lock lock = here.lock(name).asJavaLock();
        lock.lock();
        Future<?> other = threads.submit(lock::unlock);
        assertThatThrownBy(() -> other.get(25, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        assertThat(there.inspect(name)).isPresent();
        lock.unlock();
    }

    @Test
    void aJavaLockThatWasLostSaysSo() throws Exception {
        Lock lock = here.lock(name, TAKEN_LEASE).asJavaLock();
        lock.lock();
        long token = there.inspect(name).orElseThrow().token();
        there.evict(name, token, "test");
        Lease next = there.lock(name).acquire(WAIT);
        await().pollInSameThread().atMost(WAIT).until(() -> isRefusedReentry(lock));
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        next.close();
        lock.lock();
        lock.unlock();
    }

    @Test
    void aJavaLockHeedsInterruptsAsTheJdkDoes() throws Exception {
        Lock lock = here.lock(name).asJavaLock();
        Lease held = there.lock(name).acquire(WAIT);
        CountDownLatch done = new CountDownLatch(1);
        AtomicBoolean stillSet = new AtomicBoolean();
        Thread waiter = new Thread(() -> {
            lock.lock();
            stillSet.set(Thread.currentThread().isInterrupted());
            lock.unlock();
            done.countDown();
        });
        waiter.start();
        awaitQueueOf(1);
        waiter.interrupt();
        assertThatCode(() -> awaitQueueOf(1)).doesNotThrowAnyException();
        held.close();
        assertThat(done.await(25, TimeUnit.SECONDS)).isTrue();
        assertThat(stillSet).isTrue();

        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void aConditionWaitsWithoutTheLockAndHasItAgainAfterwards() throws Exception {
        Lock lock = here.lock(name).asJavaLock();
        Condition condition = lock.newCondition();
        assertThatThrownBy(condition::signal).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(condition::await).isInstanceOf(IllegalMonitorStateException.class);
        CountDownLatch waiting = new CountDownLatch(1);
        Future<Optional<String>> waiter = threads.submit(() -> {
            lock.lock();
            lock.lock();
            waiting.countDown();
            condition.await();
            lock.unlock();
            String holder =
                    there.inspect(name).orElseThrow().holder().orElseThrow().owner();
            lock.unlock();
            return Optional.of(holder);
        });
        assertThat(waiting.await(25, TimeUnit.SECONDS)).isTrue();
        lock.lock();
        condition.signalAll();
        lock.unlock();
        assertThat(waiter.get(25, TimeUnit.SECONDS)).isPresent();

        lock.lock();
        assertThat(condition.await(10, TimeUnit.MILLISECONDS)).isFalse();
        lock.unlock();
    }
}
