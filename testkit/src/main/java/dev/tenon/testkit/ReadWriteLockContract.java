package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.DistributedReadWriteLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.LockTimeoutException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;

/** The part of {@link DistributedLockContract} that is about {@link dev.tenon.lock.Locks#readWriteLock}. */
public abstract class ReadWriteLockContract extends LocksScenario {
    @Test
    void readersReadTogetherAndAWriterWritesAlone() throws Exception {
        Lease first = mine().readLock().acquire(WAIT);
        Lease second = theirs().readLock().acquire(WAIT);
        assertThat(theirs().writeLock().tryAcquire()).isEmpty();
        assertThat(there.lock(name).tryAcquire())
                .as("the write lock by its plain name")
                .isEmpty();
        Future<Lease> writer = threads.submit(() -> theirs().writeLock().acquire(WAIT));
        awaitQueueOf(1);
        assertThat(mine().readLock().tryAcquire())
                .as("a reader behind a writer")
                .isEmpty();
        first.close();
        second.close();
        Lease writing = writer.get(25, TimeUnit.SECONDS);
        assertThat(writing.token()).isGreaterThan(second.token());
        assertThat(mine().readLock().tryAcquire()).isEmpty();
        writing.close();
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void anUpdaterBecomesTheWriterAndAReaderAgain() throws Exception {
        Lease reader = theirs().readLock().acquire(WAIT);
        Lease update = mine().updateLock().acquire(WAIT);
        assertThat(theirs().updateLock().tryAcquire()).isEmpty();
        for (int again = 0; again < 20; again++) {
            assertThat(mine().tryUpgrade(update))
                    .as("an answer, and no refusal to ask")
                    .isEmpty();
        }
        assertThatThrownBy(() -> mine().upgrade(update, BRIEF)).isInstanceOf(LockTimeoutException.class);
        assertThat(update.state()).isEqualTo(Lease.State.HELD);
        assertThat(here.validate(name, update.token())).isTrue();

        Future<Lease> upgrade = threads.submit(() -> mine().upgrade(update, WAIT));
        awaitQueueOf(1);
        reader.close();
        Lease write = upgrade.get(25, TimeUnit.SECONDS);
        assertThat(update.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(write.token()).isGreaterThan(update.token());
        update.close();
        assertThat(theirs().readLock().tryAcquire()).isEmpty();

        Lease again = mine().downgradeToUpdate(write);
        theirs().readLock().tryAcquire().orElseThrow().close();
        assertThat(theirs().updateLock().tryAcquire()).isEmpty();
        Lease read = mine().downgradeToRead(again);
        assertThat(read.token()).isGreaterThan(again.token());
        theirs().updateLock().tryAcquire().orElseThrow().close();
        read.close();
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void anUpdateLeaseIsRenewedWhileItWaitsToBeUpgradedAndSoIsWhatItBecomes() throws Exception {
        whileRenewalsAreInTime(() -> {
            DistributedReadWriteLock brief = here.readWriteLock(name, KEPT_LEASE);
            Lease reader = theirs().readLock().acquire(WAIT);
            Lease update = brief.updateLock().acquire(WAIT);
            Future<Lease> upgrade = threads.submit(() -> brief.upgrade(update, WAIT));
            awaitQueueOf(1);
            assertKept(update, KEPT);
            reader.close();
            Lease write = upgrade.get(25, TimeUnit.SECONDS);
            assertKept(write, KEPT);
            assertThat(update.lost().toCompletableFuture()).isNotDone();
            write.close();
        });
    }

    @Test
    void whatIsLostOrNotItsOwnIsNotConverted() throws Exception {
        Lease read = mine().readLock().acquire(WAIT);
        assertThatThrownBy(() -> mine().tryUpgrade(read)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> theirs().downgradeToRead(read)).isInstanceOf(IllegalArgumentException.class);
        read.close();
        Lease update = mine().updateLock().acquire(WAIT);
        assertThatThrownBy(() -> theirs().tryUpgrade(update)).isInstanceOf(IllegalArgumentException.class);
        there.evict(name, update.token(), "test");
        assertThatThrownBy(() -> mine().tryUpgrade(update)).isInstanceOf(LeaseLostException.class);
        assertThat(update.state()).isEqualTo(Lease.State.LOST);
        assertThatThrownBy(() -> mine().downgradeToRead(update)).isInstanceOf(LeaseLostException.class);
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void anUpgradeThatIsInterruptedLeavesTheUpdateLease() throws Exception {
        Lease reader = theirs().readLock().acquire(WAIT);
        Lease update = mine().updateLock().acquire(WAIT);
        Future<Lease> upgrade = threads.submit(() -> mine().upgrade(update, WAIT));
        awaitQueueOf(1);
        upgrade.cancel(true);
        awaitQueueOf(0);
        reader.close();
        assertThat(update.state()).isEqualTo(Lease.State.HELD);
        Lease write = mine().tryUpgrade(update).orElseThrow();
        write.close();
        assertThat(here.inspect(name)).isEmpty();
    }

    /** Whoever was interrupted as its turn came holds nothing when it returns. */
    @Test
    void afterAnInterruptedRaceOfAReaderAndAWriterNothingIsLocked() throws Exception {
        for (int round = 0; round < 30; round++) {
            Lease writing = mine().writeLock().acquire(WAIT);
            Thread reader = new Thread(() -> {
                try {
                    theirs().readLock().acquire(WAIT).close();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            reader.start();
            awaitQueueOf(1);
            Future<?> unlocked = threads.submit(writing::close);
            reader.interrupt();
            reader.join(25_000);
            unlocked.get(25, TimeUnit.SECONDS);
            assertThat(here.inspect(name)).as("round " + round).isEmpty();
        }
    }

    /**
     * {@link java.util.concurrent.locks.ReentrantReadWriteLock}'s untimed {@code tryLock} does overtake, fair or not.
     */
    @Test
    void anUntimedTryLockOvertakesAWaitingWriterOnlyWhereTheLockIsUnfair() throws Exception {
        Lock fair = theirs().asJavaReadWriteLock().readLock();
        Lock unfair = there.readWriteLock(name, LockOptions.DEFAULT.unfair())
                .asJavaReadWriteLock()
                .readLock();
        Lease reading = mine().readLock().acquire(WAIT);
        Future<Lease> writer = threads.submit(() -> mine().writeLock().acquire(WAIT));
        awaitQueueOf(1);
        assertThat(fair.tryLock()).isFalse();
        assertThat(fair.tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThat(unfair.tryLock()).isTrue();
        unfair.unlock();
        assertThat(unfair.tryLock(25, TimeUnit.SECONDS)).isTrue();
        unfair.unlock();
        reading.close();
        writer.get(25, TimeUnit.SECONDS).close();
    }

    @Test
    void aJavaReadWriteLockIsReentrantOnBothSides() throws Exception {
        ReadWriteLock lock = mine().asJavaReadWriteLock();
        lock.readLock().lock();
        Future<Lease> writer = threads.submit(() -> theirs().writeLock().acquire(WAIT));
        awaitQueueOf(1);
        lock.readLock().lock(); // would wait behind the writer, were it not counted here
        lock.readLock().unlock();
        assertThat(writer).isNotDone();
        lock.readLock().unlock();
        writer.get(25, TimeUnit.SECONDS).close();
        assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);

        lock.writeLock().lock();
        lock.writeLock().lock();
        lock.writeLock().unlock();
        assertThat(theirs().readLock().tryAcquire()).isEmpty();
        lock.writeLock().unlock();
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void aJavaWriterMayReadAndKeepsReadingWhenItNoLongerWrites() {
        ReadWriteLock lock = mine().asJavaReadWriteLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.readLock().unlock();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(theirs().readLock().tryAcquire()).isEmpty();
        lock.writeLock().unlock();
        theirs().readLock().tryAcquire().orElseThrow().close();
        assertThat(theirs().writeLock().tryAcquire()).isEmpty();
        lock.readLock().unlock();
        assertThat(here.inspect(name)).isEmpty();
    }

    @Test
    void aJavaReaderThatAsksToWriteIsRefusedRatherThanLeftToWaitForItself() throws Exception {
        ReadWriteLock lock = mine().asJavaReadWriteLock();
        lock.readLock().lock();
        assertThatThrownBy(lock.writeLock()::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("wait for itself");
        assertThat(lock.writeLock().tryLock()).isFalse();
        assertThat(lock.writeLock().tryLock(1, TimeUnit.DAYS)).isFalse();
        assertThatThrownBy(lock.readLock()::newCondition).isInstanceOf(UnsupportedOperationException.class);
        lock.readLock().unlock();
        lock.writeLock().lock();
        assertThat(lock.writeLock().newCondition().await(5, TimeUnit.MILLISECONDS))
                .isFalse();
        lock.writeLock().unlock();
        await().atMost(WAIT).until(() -> here.inspect(name).isEmpty());
    }

    private DistributedReadWriteLock mine() {
        return here.readWriteLock(name);
    }

    private DistributedReadWriteLock theirs() {
        return there.readWriteLock(name);
    }
}
