package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;

/** The part of {@link JdkLockContract} that {@link java.util.concurrent.locks.ReentrantReadWriteLock} has. */
public abstract class JdkReadWriteLockContract extends JdkConditionContract {
    @Test
    void threadsReadTogetherAndOneWritesAlone() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        lock.readLock().lock();
        lock.readLock().lock();
        assertThat(isFreeForOthers(lock.readLock())).isTrue();
        assertThat(isFreeForOthers(lock.writeLock())).isFalse();
        lock.readLock().unlock();
        assertThat(isFreeForOthers(lock.writeLock())).isFalse();
        lock.readLock().unlock();
        assertThat(isFreeForOthers(lock.writeLock())).isTrue();

        lock.writeLock().lock();
        lock.writeLock().lock();
        assertThat(isFreeForOthers(lock.readLock())).isFalse();
        lock.writeLock().unlock();
        assertThat(isFreeForOthers(lock.readLock())).isFalse();
        assertThat(isFreeForOthers(lock.writeLock())).isFalse();
        lock.writeLock().unlock();
        assertThat(isFreeForOthers(lock.readLock())).isTrue();
    }

    @Test
    void aWriterReadsAndGoesOnReading() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        assertThat(lock.readLock().tryLock()).isTrue();
        lock.readLock().unlock();
        assertThat(isFreeForOthers(lock.readLock())).isFalse();
        lock.writeLock().unlock();
        assertThat(isFreeForOthers(lock.readLock())).isTrue();
        assertThat(isFreeForOthers(lock.writeLock())).isFalse();
        lock.readLock().unlock();
        assertThat(isFreeForOthers(lock.writeLock())).isTrue();
    }

    @Test
    void aReaderDoesNotBecomeTheWriter() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        lock.readLock().lock();
        assertThat(lock.writeLock().tryLock()).isFalse();
        assertThat(lock.writeLock().tryLock(5, TimeUnit.MILLISECONDS)).isFalse();
        lock.readLock().unlock();
    }

    @Test
    void neitherSideIsUnlockedByOneThatDoesNotHoldIt() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        for (Lock side : List.of(lock.readLock(), lock.writeLock())) {
            assertThatThrownBy(side::unlock).isInstanceOf(IllegalMonitorStateException.class);
        }
        lock.writeLock().lock();
        assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
        start(() -> {
                    assertThatThrownBy(lock.writeLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
                    return null;
                })
                .result();
        lock.writeLock().unlock();
    }

    @Test
    void onlyTheWriteLockHasConditions() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        assertThatThrownBy(lock.readLock()::newCondition).isInstanceOf(UnsupportedOperationException.class);
        lock.writeLock().lock();
        assertThat(lock.writeLock().newCondition().await(1, TimeUnit.MILLISECONDS))
                .isFalse();
        lock.writeLock().unlock();
    }

    @Test
    void interruptsEndTheWaitsOfBothSides() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        lock.writeLock().lock();
        for (Lock side : List.of(lock.readLock(), lock.writeLock())) {
            List<Callable<?>> waits = List.of(
                    () -> {
                        side.lockInterruptibly();
                        return null;
                    },
                    () -> side.tryLock(1, TimeUnit.DAYS));
            for (Callable<?> wait : waits) {
                Running<?> waiter = startAndPark(() -> {
                    assertThatThrownBy(wait::call).isInstanceOf(InterruptedException.class);
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    return null;
                });
                waiter.thread().interrupt();
                waiter.result();
            }
            Running<Boolean> stubborn = startAndPark(() -> {
                side.lock();
                side.unlock();
                return Thread.interrupted();
            });
            stubborn.thread().interrupt();
            awaitParked(stubborn);
            assertThat(stubborn.task()).isNotDone();
            lock.writeLock().unlock();
            assertThat(stubborn.result()).isTrue();
            lock.writeLock().lock();
        }
        lock.writeLock().unlock();
    }

    @Test
    void aReaderWaitsBehindAWriterUnlessItReadsAlready() throws Exception {
        ReadWriteLock lock = javaReadWriteLock();
        lock.readLock().lock();
        Running<?> writer = startAndPark(() -> {
            lock.writeLock().lock();
            lock.writeLock().unlock();
            return null;
        });
        lock.readLock().lock();
        lock.readLock().unlock();
        assertThat(writer.task()).isNotDone();
        lock.readLock().unlock();
        writer.result();
    }
}
