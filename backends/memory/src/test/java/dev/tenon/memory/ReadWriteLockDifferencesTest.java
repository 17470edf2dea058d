package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.ManualClock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Where {@code asJavaReadWriteLock} differs from the JDK's lock, by both: the lines of the table in
 * docs/locks/README.md on order, overtaking and refusals.
 */
class ReadWriteLockDifferencesTest {
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final MemoryBackend backend = MemoryBackend.create();
    private final Locks locks = backend.locks();
    private final Locks otherProcess = Locks.over(backend.lockStore());
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        otherProcess.close();
        backend.close();
    }

    private ReadWriteLock ours(LockOptions options) {
        return locks.readWriteLock("x", options).asJavaReadWriteLock();
    }

    private <T> T inThread(Callable<T> work) throws Exception {
        return threads.submit(work).get(30, TimeUnit.SECONDS);
    }

    /** What a reader is told that comes while another reads and a writer waits. */
    private boolean overtakes(ReadWriteLock lock, BooleanSupplier writerWaits, Callable<Boolean> comes)
            throws Exception {
        lock.readLock().lock();
        Future<?> writer = threads.submit(() -> {
            lock.writeLock().lock();
            lock.writeLock().unlock();
        });
        await().atMost(WAIT).until(writerWaits::getAsBoolean);
        boolean answer = inThread(() -> {
            boolean reads = comes.call();
            if (reads) {
                lock.readLock().unlock();
            }
            return reads;
        });
        lock.readLock().unlock();
        writer.get(30, TimeUnit.SECONDS);
        return answer;
    }

    private boolean jdkOvertakes(boolean fair, boolean timed) throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(fair);
        return overtakes(lock, lock::hasQueuedThreads, () -> comes(lock.readLock(), timed));
    }

    private boolean oursOvertakes(LockOptions options, boolean timed) throws Exception {
        ReadWriteLock lock = ours(options);
        return overtakes(
                lock,
                () -> locks.inspect("x")
                        .filter(view -> view.queue().size() == 1)
                        .isPresent(),
                () -> comes(lock.readLock(), timed));
    }

    private static boolean comes(Lock lock, boolean timed) throws InterruptedException {
        return timed ? lock.tryLock(20, TimeUnit.MILLISECONDS) : lock.tryLock();
    }

    @Test
    void theJdksUntimedTryLockOvertakesAndOursDoesNot() throws Exception {
        assertThat(jdkOvertakes(true, false)).isTrue();
        assertThat(jdkOvertakes(false, false)).isTrue();
        assertThat(oursOvertakes(LockOptions.DEFAULT, false)).isFalse();
        assertThat(jdkOvertakes(true, true)).isFalse();
        assertThat(oursOvertakes(LockOptions.DEFAULT, true)).isFalse();
    }

    @Test
    void anUnfairReaderOfOursOvertakesHoweverItAsksAndTheJdksDoesNotPassAWriterWhoIsFirst() throws Exception {
        assertThat(jdkOvertakes(false, true)).isFalse();
        assertThat(oursOvertakes(LockOptions.DEFAULT.unfair(), false)).isTrue();
        assertThat(oursOvertakes(LockOptions.DEFAULT.unfair(), true)).isTrue();
    }

    @Test
    void aReaderThatAsksForTheWriteLockIsRefusedAndTheJdksWaitsForItself() throws Exception {
        ReadWriteLock ours = ours(LockOptions.DEFAULT);
        ours.readLock().lock();
        assertThatThrownBy(ours.writeLock()::lock).isInstanceOf(IllegalStateException.class);
        ours.readLock().unlock();

        ReentrantReadWriteLock jdks = new ReentrantReadWriteLock();
        Future<?> hangs = threads.submit(() -> {
            jdks.readLock().lock();
            jdks.writeLock().lockInterruptibly();
            return true;
        });
        await().atMost(WAIT).until(jdks::hasQueuedThreads);
        assertThat(hangs).isNotDone();
        hangs.cancel(true);
    }

    @Test
    void whoReadsUnderItsWriteLockCannotAwaitAConditionAndWithTheJdksItCan() throws Exception {
        ReadWriteLock ours = ours(LockOptions.DEFAULT);
        ours.writeLock().lock();
        ours.readLock().lock();
        assertThatThrownBy(() -> ours.writeLock().newCondition().await(1, TimeUnit.MILLISECONDS))
                .isInstanceOf(IllegalMonitorStateException.class);
        ours.readLock().unlock();
        ours.writeLock().unlock();

        ReadWriteLock jdks = new ReentrantReadWriteLock();
        jdks.writeLock().lock();
        jdks.readLock().lock();
        assertThat(jdks.writeLock().newCondition().await(1, TimeUnit.MILLISECONDS))
                .isFalse();
        jdks.readLock().unlock();
        jdks.writeLock().unlock();
    }

    @Test
    void theNextWriterOfTheProcessMayGoBeforeAReaderThatCameEarlierAndWithTheJdksFairLockItDoesNot() throws Exception {
        assertThat(writerGoesFirst(LockOptions.DEFAULT)).isTrue();
        assertThat(writerGoesFirst(LockOptions.DEFAULT.withoutLocalHandOver())).isFalse();

        ReentrantReadWriteLock jdks = new ReentrantReadWriteLock(true);
        jdks.writeLock().lock();
        Future<Boolean> reader = threads.submit(() -> {
            jdks.readLock().lock();
            return true;
        });
        await().atMost(WAIT).until(() -> jdks.getQueueLength() == 1);
        Future<?> writer = threads.submit(jdks.writeLock()::lock);
        await().atMost(WAIT).until(() -> jdks.getQueueLength() == 2);
        jdks.writeLock().unlock();
        assertThat(reader.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(writer).isNotDone();
    }

    /**
     * One process writes, another waits to read, and a second thread of the first to write: whether that one is next.
     */
    private boolean writerGoesFirst(LockOptions options) throws Exception {
        String name = "hand-over " + options;
        // Handed on for 100 ms at most: the time of this process stands still.
        try (Locks process = Locks.over(backend.lockStore(), "me", new ManualClock(Instant.EPOCH))) {
            Lease writing = process.lock(name, options).tryAcquire().orElseThrow();
            CompletableFuture<Lease> reader = otherProcess
                    .readWriteLock(name)
                    .readLock()
                    .acquireAsync(WAIT)
                    .toCompletableFuture();
            await().atMost(WAIT)
                    .until(() -> locks.inspect(name).orElseThrow().queue().size() == 1);
            CompletableFuture<Lease> writer =
                    process.lock(name, options).acquireAsync(WAIT).toCompletableFuture();
            writing.close();
            await().atMost(WAIT).until(() -> reader.isDone() || writer.isDone());
            boolean first = writer.isDone();
            (first ? writer : reader).get().close();
            (first ? reader : writer).get(30, TimeUnit.SECONDS).close();
            return first;
        }
    }
}
