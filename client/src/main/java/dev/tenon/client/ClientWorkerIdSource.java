package dev.tenon.client;

import dev.tenon.Names;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.grpc.WorkerIdMessages;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.protocol.ClaimedWorkerId;
import dev.tenon.protocol.ReleaseWorkerIdRequest;
import dev.tenon.protocol.RenewWorkerIdRequest;
import dev.tenon.protocol.WorkerCensusRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@link WorkerIdSource} of a server. */
final class ClientWorkerIdSource implements WorkerIdSource {
    private final ClientLink link;
    private final String group;

    ClientWorkerIdSource(ClientLink link, String group) {
        this.link = link;
        this.group = Names.requireValid("worker group", group);
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        ClaimedWorkerId answer = link.await(ClientMethods.CLAIM_WORKER_ID, WorkerIdMessages.message(group, claim));
        WorkerSlot slot = WorkerIdMessages.slot(answer);
        if (claim.kept().isPresent() && !answer.getKept()) {
            release(slot, slot.floor()); // an older server took it for a claim of any slot
            throw new WorkerIdTakenException("The server is older than this client, and can't be told of worker ID "
                    + claim.kept().get().workerId());
        }
        return slot;
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        return link.await(
                        ClientMethods.RENEW_WORKER_ID,
                        RenewWorkerIdRequest.newBuilder()
                                .setGroup(group)
                                .setSlot(WorkerIdMessages.message(slot))
                                .setLease(TimeMessages.message(WorkerClaim.requireLease(lease)))
                                .setFence(TimeMessages.message(fence))
                                .build())
                .getHeld();
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        link.await(
                ClientMethods.RELEASE_WORKER_ID,
                ReleaseWorkerIdRequest.newBuilder()
                        .setGroup(group)
                        .setSlot(WorkerIdMessages.message(slot))
                        .setLastUsed(TimeMessages.message(lastUsed))
                        .build());
    }

    @Override
    public List<WorkerSlotView> census() {
        return link
                .await(
                        ClientMethods.CENSUS,
                        WorkerCensusRequest.newBuilder().setGroup(group).build())
                .getSlotsList()
                .stream()
                .map(WorkerIdMessages::view)
                .toList();
    }
}
