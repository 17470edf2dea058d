package dev.tenon.client;

import dev.tenon.Names;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.protocol.ClaimWorkerIdRequest;
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
        ClaimWorkerIdRequest.Builder request = ClaimWorkerIdRequest.newBuilder()
                .setGroup(group)
                .setRequestId(claim.requestId())
                .setOwner(claim.owner())
                .setLayout(claim.layout())
                .setCapacity(claim.capacity())
                .setLease(Wire.message(claim.lease()))
                .setNow(Wire.message(claim.now()))
                .setReserve(Wire.message(claim.reserve()))
                .setNewStore(claim.newStore());
        claim.wanted().ifPresent(request::setWanted);
        claim.kept()
                .ifPresent(kept -> request.setKept(ClaimWorkerIdRequest.Kept.newBuilder()
                        .setWorkerId(kept.workerId())
                        .setClaim(kept.claim())));
        ClaimedWorkerId answer = link.await(ClientMethods.CLAIM_WORKER_ID, request.build());
        WorkerSlot slot = new WorkerSlot(
                answer.getWorkerId(),
                answer.getClaim(),
                Wire.instant(answer.getFloor()),
                Wire.instant(answer.getFence()));
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
                                .setSlot(message(slot))
                                .setLease(Wire.message(WorkerClaim.requireLease(lease)))
                                .setFence(Wire.message(fence))
                                .build())
                .getHeld();
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        link.await(
                ClientMethods.RELEASE_WORKER_ID,
                ReleaseWorkerIdRequest.newBuilder()
                        .setGroup(group)
                        .setSlot(message(slot))
                        .setLastUsed(Wire.message(lastUsed))
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
                .map(slot -> new WorkerSlotView(
                        slot.getWorkerId(),
                        slot.getOwner(),
                        Wire.instant(slot.getSince()),
                        Wire.duration(slot.getLeaseLeft()),
                        Wire.instant(slot.getFence())))
                .toList();
    }

    private static ClaimedWorkerId message(WorkerSlot slot) {
        return ClaimedWorkerId.newBuilder()
                .setWorkerId(slot.workerId())
                .setClaim(slot.claim())
                .setFloor(Wire.message(slot.floor()))
                .setFence(Wire.message(slot.fence()))
                .build();
    }
}
