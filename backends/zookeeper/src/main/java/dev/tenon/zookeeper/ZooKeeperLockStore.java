package dev.tenon.zookeeper;

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
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The lock machine over nodes that are written on the condition that they are as they were read: {@link CellLocks}. */
final class ZooKeeperLockStore implements MultiLockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.LOG_INDEX, StoreTraits.Push.PUSHED, true, false, Duration.ofMillis(1));
    private static final int THREADS = 32;
    private static final int WAITING_CALLS_MAX = 10_000;

    private final ThreadPoolExecutor calls = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING_CALLS_MAX),
            DaemonThreads.numbered("tenon-zookeeper-locks"));
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.numbered("tenon-zookeeper-timer"));
    private final CellLocks locks;

    ZooKeeperLockStore(ZooKeeperLink link) {
        calls.allowCoreThreadTimeOut(true);
        locks = new CellLocks(new ZooKeeperLockCells(link), calls, TimeSource.system(), CellLocks.PRESENCE);
        timer.scheduleWithFixedDelay(this::runOnce, 1, 1, TimeUnit.SECONDS);
    }

    private void runOnce() {
        try {
            locks.runOnce();
        } catch (RuntimeException e) {
            // ZooKeeper can't be asked now; the next pass tries again, which a timer does not do after a failure.
        }
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
        locks.close();
        end();
    }

    /** Gives nothing back, as the end of the process would. */
    void disconnect() {
        locks.disconnect();
        end();
    }

    private void end() {
        timer.shutdownNow();
        calls.shutdown();
    }
}
