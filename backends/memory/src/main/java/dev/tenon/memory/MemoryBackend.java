package dev.tenon.memory;

import dev.tenon.DaemonThreads;
import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Locks, ranges, worker IDs and transactions in the memory of this JVM, for tests and for programs of one process. Two
 * backends never see each other. Thread-safe.
 */
public final class MemoryBackend implements AutoCloseable {
    private final ReentrantLock timerMutex = new ReentrantLock();
    private final @Nullable ScheduledExecutorService timer;
    private final MemoryLockStore lockStore;
    private final Locks locks;
    private final RangeStore ranges = new MemoryRangeStore(new RangeTable());
    private final DefinitionStore definitions = new MemoryDefinitionStore();
    private final TransactionStore transactions;
    private final MemoryWorkerIds workerIds;
    private @Nullable Future<?> nextRun;
    private long nextRunNanos;
    private final TimeSource time;

    private MemoryBackend(TimeSource time, boolean runByItself) {
        this.time = time;
        this.timer = runByItself
                ? Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-memory-timer"))
                : null;
        this.lockStore = new MemoryLockStore(time, this::schedule);
        this.locks = Locks.over(lockStore);
        this.workerIds = new MemoryWorkerIds(new WorkerTable(), time);
        this.transactions = new MemoryTransactionStore(time);
    }

    /** A backend on the clock of this machine; leases, waits and sessions end by themselves. */
    public static MemoryBackend create() {
        return new MemoryBackend(TimeSource.system(), true);
    }

    /**
     * A backend on a clock of the caller's, such as a {@link dev.tenon.ManualClock}: what time ends, ends in
     * {@link #runOnce}.
     */
    public static MemoryBackend on(TimeSource time) {
        return new MemoryBackend(time, false);
    }

    /** The locks of this backend. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public MultiLockStore lockStore() {
        return lockStore;
    }

    /** The sequences of this backend. */
    public RangeStore ranges() {
        return ranges;
    }

    /** The worker IDs of a group. */
    public WorkerIdSource workerIds(String group) {
        return workerIds.group(Names.requireValid("worker group", group));
    }

    /** The ID definitions of this backend. */
    public DefinitionStore definitions() {
        return definitions;
    }

    /** The log of transactions of this backend, for {@link dev.tenon.tx.Transactions}. */
    public TransactionStore transactions() {
        return transactions;
    }

    /** Ends what is over by now: leases, waits, sessions. */
    public void runOnce() {
        lockStore.runOnce();
    }

    /** Forgets everything. Idempotent. */
    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
        locks.close();
        lockStore.close();
    }

    private void schedule() {
        if (timer == null) {
            return;
        }
        Duration left = lockStore.untilNextDeadline().orElse(null);
        timerMutex.lock();
        try {
            if (left == null || timer.isShutdown()) {
                return;
            }
            long at = time.nanoTime() + Math.max(0, left.toNanos());
            if (nextRun != null && !nextRun.isDone() && nextRunNanos - at <= 0) {
                return;
            }
            if (nextRun != null) {
                nextRun.cancel(false);
            }
            nextRunNanos = at;
            nextRun = timer.schedule(this::runTimer, at - time.nanoTime(), TimeUnit.NANOSECONDS);
        } finally {
            timerMutex.unlock();
        }
    }

    private void runTimer() {
        timerMutex.lock();
        try {
            nextRun = null;
        } finally {
            timerMutex.unlock();
        }
        runOnce();
        schedule();
    }
}
