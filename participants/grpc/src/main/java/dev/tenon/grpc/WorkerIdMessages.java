package dev.tenon.grpc;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.ClaimedWorkerId;
import dev.tenon.protocol.WorkerCensusResponse;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Worker IDs as messages of {@code tenon.v1}, and back: for both ends of the service {@code WorkerIds}. What a message
 * can't be read as is refused with {@link IllegalArgumentException}. Pure functions.
 */
public final class WorkerIdMessages {
    private WorkerIdMessages() {}

    /** A claim of a worker ID of a group, as a message. */
    public static ClaimWorkerIdRequest message(String group, WorkerClaim claim) {
        ClaimWorkerIdRequest.Builder message = ClaimWorkerIdRequest.newBuilder()
                .setGroup(group)
                .setRequestId(claim.requestId())
                .setOwner(claim.owner())
                .setLayout(claim.layout())
                .setCapacity(claim.capacity())
                .setLease(TimeMessages.message(claim.lease()))
                .setNow(TimeMessages.message(claim.now()))
                .setReserve(TimeMessages.message(claim.reserve()))
                .setNewStore(claim.newStore());
        claim.wanted().ifPresent(message::setWanted);
        claim.kept()
                .ifPresent(kept -> message.setKept(ClaimWorkerIdRequest.Kept.newBuilder()
                        .setWorkerId(kept.workerId())
                        .setClaim(kept.claim())));
        return message.build();
    }

    /** A claim of a worker ID; of which group, the message says. */
    public static WorkerClaim claim(ClaimWorkerIdRequest message) {
        return new WorkerClaim(
                message.getRequestId(),
                message.getOwner(),
                message.getLayout(),
                message.getCapacity(),
                TimeMessages.duration(message.getLease()),
                TimeMessages.instant(message.getNow()),
                TimeMessages.duration(message.getReserve()),
                message.hasWanted() ? OptionalInt.of(message.getWanted()) : OptionalInt.empty(),
                message.hasKept()
                        ? Optional.of(new WorkerClaim.Kept(
                                message.getKept().getWorkerId(),
                                message.getKept().getClaim()))
                        : Optional.empty(),
                message.getNewStore());
    }

    /** A worker ID that was claimed, as a message. */
    public static ClaimedWorkerId message(WorkerSlot slot) {
        return ClaimedWorkerId.newBuilder()
                .setWorkerId(slot.workerId())
                .setClaim(slot.claim())
                .setFloor(TimeMessages.message(slot.floor()))
                .setFence(TimeMessages.message(slot.fence()))
                .build();
    }

    /** A worker ID that was claimed. */
    public static WorkerSlot slot(ClaimedWorkerId message) {
        return new WorkerSlot(
                message.getWorkerId(),
                message.getClaim(),
                TimeMessages.instant(message.getFloor()),
                TimeMessages.instant(message.getFence()));
    }

    /** A worker ID that is held, as a message. */
    public static WorkerCensusResponse.Slot message(WorkerSlotView view) {
        return WorkerCensusResponse.Slot.newBuilder()
                .setWorkerId(view.workerId())
                .setOwner(view.owner())
                .setSince(TimeMessages.message(view.since()))
                .setLeaseLeft(TimeMessages.message(view.leaseLeft()))
                .setFence(TimeMessages.message(view.fence()))
                .build();
    }

    /** A worker ID that is held. */
    public static WorkerSlotView view(WorkerCensusResponse.Slot message) {
        return new WorkerSlotView(
                message.getWorkerId(),
                message.getOwner(),
                TimeMessages.instant(message.getSince()),
                TimeMessages.duration(message.getLeaseLeft()),
                TimeMessages.instant(message.getFence()));
    }
}
