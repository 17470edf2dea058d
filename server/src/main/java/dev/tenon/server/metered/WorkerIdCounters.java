package dev.tenon.server.metered;

import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.server.observe.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Knows which worker IDs this server holds, and counts those that it lost. Thread-safe. */
final class WorkerIdCounters {
    private final Metrics metrics;
    private final Map<Claimed, Long> leaseEnds = new ConcurrentHashMap<>();

    private record Claimed(int workerId, long claim, Instant floor) {
        static Claimed of(WorkerSlot slot) {
            return new Claimed(slot.workerId(), slot.claim(), slot.floor());
        }
    }

    WorkerIdCounters(Metrics metrics) {
        this.metrics = metrics;
        lost(0);
        metrics.gauge("tenon.worker.ids.held", "Worker IDs that this server holds", leaseEnds::size);
        metrics.gauge(
                "tenon.worker.lease.left.seconds",
                "What is left of the worker ID's lease that ends first; NaN if none is held",
                this::leaseLeft);
    }

    private Number leaseLeft() {
        long now = System.nanoTime();
        return leaseEnds.values().stream()
                .mapToDouble(end -> (end - now) / 1e9)
                .min()
                .orElse(Double.NaN);
    }

    void claimed(WorkerSlot slot, Duration lease) {
        // A lease may be as long as a year.
        leaseEnds.put(Claimed.of(slot), System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lease.toMillis()));
    }

    void renewed(WorkerSlot slot, Duration lease, boolean extended) {
        if (extended) {
            claimed(slot, lease);
        } else if (leaseEnds.remove(Claimed.of(slot)) != null) {
            lost(1);
        }
    }

    void released(WorkerSlot slot) {
        leaseEnds.remove(Claimed.of(slot));
    }

    private void lost(long times) {
        metrics.count("tenon.worker.events", "What became of worker IDs", "lost", times);
    }
}
