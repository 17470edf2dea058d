package dev.tenon.raft;

import dev.tenon.Names;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@link WorkerIdSource} of one group in the replicated log; leases end by the time in the log. Thread-safe. */
final class RaftWorkerIdSource implements WorkerIdSource {
    private final CommandLog log;
    private final String group;

    RaftWorkerIdSource(CommandLog log, String group) {
        this.log = log;
        this.group = Names.requireValid("worker group", group);
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        return Blocking.await(log.submit(new IdCommand.ClaimWorker(group, claim)));
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        WorkerClaim.requireLease(lease);
        return Blocking.await(log.submit(new IdCommand.RenewWorker(group, slot, lease, fence)));
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Blocking.await(log.submit(new IdCommand.ReleaseWorker(group, slot, lastUsed)));
    }

    @Override
    public List<WorkerSlotView> census() {
        return Blocking.await(log.submit(new IdCommand.WorkerCensus(group)));
    }
}
