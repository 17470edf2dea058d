package dev.tenon.memory;

import dev.tenon.Names;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The worker IDs of one group of a {@link MemoryWorkerIds}. */
final class MemoryWorkerIdSource implements WorkerIdSource {
    private final MemoryWorkerIds workerIds;
    private final String group;

    MemoryWorkerIdSource(MemoryWorkerIds workerIds, String group) {
        this.workerIds = workerIds;
        this.group = Names.requireValid("worker group", group);
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        return workerIds.call((table, now) -> table.claim(group, claim, now));
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        return workerIds.call((table, now) -> table.renew(group, slot, lease, fence, now));
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        workerIds.call((table, now) -> {
            table.release(group, slot, lastUsed, now);
            return true;
        });
    }

    @Override
    public List<WorkerSlotView> census() {
        return workerIds.call((table, now) -> table.census(group, now));
    }
}
