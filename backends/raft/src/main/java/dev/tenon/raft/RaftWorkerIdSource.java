package dev.tenon.raft;

import dev.tenon.Names;
import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * {@link WorkerIdSource} of one group in the replicated log; leases end by the time in the log. The incarnation is in
 * each command, so that whoever applies it later finds what was found at first. Thread-safe.
 */
final class RaftWorkerIdSource implements WorkerIdSource {
    private final CommandLog log;
    private final String group;
    private final Supplier<ClaimTerms> terms;

    RaftWorkerIdSource(CommandLog log, String group, Supplier<ClaimTerms> terms) {
        this.log = log;
        this.terms = terms;
        this.group = Names.requireValid("worker group", group);
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        return Blocking.await(log.submit(new IdCommand.ClaimWorker(group, claim, terms.get())));
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        WorkerClaim.requireLease(lease);
        // The store's own process is told of nothing that it has to tell again.
        String incarnation = terms.get().own() ? "" : terms.get().incarnation();
        return Blocking.await(log.submit(new IdCommand.RenewWorker(group, slot, lease, fence, incarnation)));
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
