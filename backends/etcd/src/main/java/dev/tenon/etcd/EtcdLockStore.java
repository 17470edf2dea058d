package dev.tenon.etcd;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.lock.spi.cell.CellLocks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Locks as keys of etcd: {@link CellLocks} over {@link EtcdLockCells}, with the threads for it. A call takes a thread for as
 * long as its round trips take, and none while it waits in a queue.
 */
final class EtcdLockStore implements MultiLockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.LOG_INDEX, StoreTraits.Push.PUSHED, true, false, Duration.ofMillis(1));
    private static final int CALLS_AT_ONCE = 64;
    private static final int CALLS_WAITING_MAX = 10_000;
    private static final Duration THREAD_REST_MAX = Duration.ofSeconds(30);
    private static final Duration PASS_EVERY = Duration.ofSeconds(1);

    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            CALLS_AT_ONCE,
            CALLS_AT_ONCE,
            THREAD_REST_MAX.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(CALLS_WAITING_MAX),
            DaemonThreads.numbered("tenon-etcd-lock"));
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered("tenon-etcd-presence"));
    private final CellLocks locks;

    EtcdLockStore(EtcdLockCells cells, TimeSource time, Duration presence) {
        executor.allowCoreThreadTimeOut(true);
        this.locks = new CellLocks(cells, executor, time, presence);
        timer.scheduleWithFixedDelay(
                this::runOnce, PASS_EVERY.toMillis(), PASS_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return locks.open(spec, events);
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return locks.keepAlive(sessionId);
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return locks.closeSession(sessionId);
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        return locks.acquire(request);
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        return locks.acquireAll(requests);
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return locks.release(releases);
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return locks.renew(renewals);
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return locks.cancel(request);
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return locks.inspect(name);
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return locks.list(prefix, after, limit);
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return locks.evict(name, expectedToken);
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return locks.revoke(name, by);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        locks.close();
        executor.shutdown();
    }

    /** Ends this and leaves every session as it is. */
    void disconnect() {
        timer.shutdownNow();
        locks.disconnect();
        executor.shutdown();
    }

    private void runOnce() {
        try {
            locks.runOnce();
        } catch (RuntimeException e) {
            // The next pass does what this one could not; whatever came out of here would end the timer, and with it
            // the presence.
        }
    }
}
