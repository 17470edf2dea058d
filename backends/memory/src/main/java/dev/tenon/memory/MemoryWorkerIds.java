package dev.tenon.memory;

import dev.tenon.TimeSource;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.WorkerIdSource;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

/**
 * A {@link WorkerTable} behind one mutex, and its clock: wall time at the start, and monotonic time from then on, so
 * that setting the machine's clock neither ends nor stretches a lease.
 */
final class MemoryWorkerIds {
    private final ReentrantLock mutex = new ReentrantLock();
    private final WorkerTable table;
    private final TimeSource time;
    private final Instant startWall;
    private final long startNanos;

    /**
     * @param table used by nothing else from now on
     */
    MemoryWorkerIds(WorkerTable table, TimeSource time) {
        this.table = table;
        this.time = time;
        this.startWall = time.now();
        this.startNanos = time.nanoTime();
    }

    /** The worker IDs of one group. */
    WorkerIdSource group(String group) {
        return new MemoryWorkerIdSource(this, group);
    }

    /** Runs a call on the table at the store's time. */
    <T> T call(BiFunction<WorkerTable, Instant, T> call) {
        mutex.lock();
        try {
            return call.apply(table, startWall.plusNanos(time.nanoTime() - startNanos));
        } finally {
            mutex.unlock();
        }
    }
}
