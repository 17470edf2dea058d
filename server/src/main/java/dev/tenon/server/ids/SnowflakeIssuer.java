package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.WorkerIdSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A Snowflake generator with a leased worker ID. */
final class SnowflakeIssuer implements Issuer {
    private static final long WINDOW_NANOS = 25_000_000;
    private static final long SLOW_NANOS = 20_000_000;
    private static final long AVOID_NANOS = 5_000_000_000L;
    private static final int SHARE = 2;

    private final WorkerId worker;
    private final SnowflakeGenerator generator;
    private final TimeSource time;
    private final long perWindow;
    private final AtomicLong window = new AtomicLong();
    private final AtomicLong issuedInWindow = new AtomicLong();
    private volatile long avoidUntilNanos;

    SnowflakeIssuer(WorkerIdSource source, IdLayout layout, TimeSource time) {
        this.time = time;
        this.avoidUntilNanos = time.nanoTime();
        this.perWindow = (long) (layout.idsPerSecond() * WINDOW_NANOS / 1e9 / SHARE);
        this.worker = WorkerId.builder(source, layout).time(time).lease();
        try {
            this.generator = SnowflakeGenerator.create(layout, worker);
        } catch (RuntimeException e) {
            worker.close();
            throw e;
        }
    }

    /**
     * Below half of the layout's rate a generator never parks. What is beyond it, and everything for a while after a call
     * that took long (the store was asked), is for threads that may wait.
     */
    @Override
    public boolean admit(int count, Order order) {
        long now = time.nanoTime();
        if (now - avoidUntilNanos < 0) {
            return false;
        }
        long present = now / WINDOW_NANOS;
        long seen = window.get();
        if (seen != present && window.compareAndSet(seen, present)) {
            issuedInWindow.set(0);
        }
        return issuedInWindow.addAndGet(count) <= perWindow;
    }

    @Override
    public long[] take(int count, Order order) {
        long[] taken = new long[count];
        long before = time.nanoTime();
        boolean done = false;
        try {
            generator.fill(taken);
            done = true;
        } finally {
            long after = time.nanoTime();
            if (!done || after - before > SLOW_NANOS) {
                avoidUntilNanos = after + AVOID_NANOS;
            }
        }
        return taken;
    }

    @Override
    public Map<String, Object> state() {
        return Map.of("workerId", worker.value());
    }

    @Override
    public void close() {
        worker.close();
    }
}
