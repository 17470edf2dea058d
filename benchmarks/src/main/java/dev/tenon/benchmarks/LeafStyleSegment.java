package dev.tenon.benchmarks;

import dev.tenon.DaemonThreads;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A double buffer after the published idea of Meituan's Leaf (tech.meituan.com, 2017 and 2019), written for this
 * comparison: IDs are counted up in one segment under a read lock; when a tenth of it is used the other is filled by
 * another thread; when it is used up they are swapped under the write lock. A segment that lasted for less than a
 * quarter of an hour is followed by one of twice the size, up to a million. Who finds no segment spins for a while and
 * then sleeps.
 */
final class LeafStyleSegment implements AutoCloseable {
    private static final double LEFT_AT_PREFETCH = 0.9;
    private static final long STEP_MAX = 1_000_000;
    private static final long LASTS_NANOS_MIN = TimeUnit.MINUTES.toNanos(15);
    private static final int SPINS_MAX = 10_000;
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final RangeStore store;
    private final String name;
    private long step;
    private long fetchedNanos;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final AtomicBoolean fetching = new AtomicBoolean();
    private final ExecutorService fetcher = Executors.newSingleThreadExecutor(DaemonThreads.named("leaf-style-fetch"));
    private volatile Segment current;
    private volatile Segment next;

    LeafStyleSegment(RangeStore store, String name, long step) {
        this.store = store;
        this.name = name;
        this.step = step;
        this.fetchedNanos = System.nanoTime();
        this.current = fetch();
        this.next = current;
    }

    private record Segment(AtomicLong value, long last, double prefetchBelow) {}

    long nextId() {
        while (true) {
            lock.readLock().lock();
            try {
                Segment segment = current;
                boolean nextReady = next != segment;
                if (!nextReady
                        && segment.last() - segment.value().get() < segment.prefetchBelow()
                        && fetching.compareAndSet(false, true)) {
                    fetcher.execute(this::prefetch);
                }
                long id = segment.value().getAndIncrement();
                if (id <= segment.last()) {
                    return id;
                }
            } finally {
                lock.readLock().unlock();
            }
            swap();
        }
    }

    @Override
    public void close() {
        fetcher.shutdownNow();
    }

    private void swap() {
        for (int spins = 0; fetching.get(); spins++) {
            if (spins == SPINS_MAX) {
                LockSupport.parkNanos(SLEEP_NANOS);
                break;
            }
        }
        lock.writeLock().lock();
        try {
            if (current.value().get() > current.last() && next != current) {
                current = next;
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void prefetch() {
        long now = System.nanoTime();
        if (now - fetchedNanos < LASTS_NANOS_MIN) {
            step = Math.min(STEP_MAX, 2 * step);
        }
        fetchedNanos = now;
        Segment fetched = fetch();
        lock.writeLock().lock();
        try {
            next = fetched;
        } finally {
            fetching.set(false);
            lock.writeLock().unlock();
        }
    }

    private Segment fetch() {
        IdRange range = store.next(name, step);
        return new Segment(new AtomicLong(range.first()), range.last(), LEFT_AT_PREFETCH * step);
    }
}
