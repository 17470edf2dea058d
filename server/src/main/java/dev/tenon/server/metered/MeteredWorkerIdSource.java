package dev.tenon.server.metered;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A source of worker IDs whose calls are timed, and which knows what it gave. Thread-safe. */
final class MeteredWorkerIdSource implements WorkerIdSource {
    private final WorkerIdSource source;
    private final CallTimer timer;
    private final WorkerIdCounters counters;

    MeteredWorkerIdSource(WorkerIdSource source, CallTimer timer, WorkerIdCounters counters) {
        this.source = source;
        this.timer = timer;
        this.counters = counters;
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        return timer.time("claim", () -> source.claim(claim), slot -> counters.claimed(slot, claim.lease()));
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        return timer.time(
                "renew", () -> source.renew(slot, lease, fence), extended -> counters.renewed(slot, lease, extended));
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        timer.run("release", () -> source.release(slot, lastUsed));
        counters.released(slot);
    }

    @Override
    public List<WorkerSlotView> census() {
        return timer.time("census", source::census);
    }
}
