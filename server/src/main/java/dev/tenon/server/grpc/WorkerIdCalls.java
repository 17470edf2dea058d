package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.unary;

import dev.tenon.Names;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.ClaimedWorkerId;
import dev.tenon.protocol.ReleaseWorkerIdResponse;
import dev.tenon.protocol.RenewWorkerIdResponse;
import dev.tenon.protocol.WorkerCensusResponse;
import dev.tenon.protocol.WorkerIdsGrpc;
import dev.tenon.server.ServerBackend;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.http.IdCalls;
import java.util.List;
import java.util.OptionalInt;

/** The service {@code tenon.v1.WorkerIds}: the sources of worker IDs, as they are, on threads that may block. */
final class WorkerIdCalls {
    private static final Need USE = Need.use(Scope.IDS);

    private final ServerBackend backend;
    private final IdCalls calls;

    WorkerIdCalls(ServerBackend backend, IdCalls calls) {
        this.backend = backend;
        this.calls = calls;
    }

    List<GrpcMethod<?, ?>> methods() {
        return List.of(
                unary(WorkerIdsGrpc.getClaimMethod(), USE, q -> List.of(q.getGroup()), q -> {
                    WorkerClaim claim = claim(q);
                    return calls.stage(() -> message(source(q.getGroup()).claim(claim)));
                }),
                unary(
                        WorkerIdsGrpc.getRenewMethod(),
                        USE,
                        q -> List.of(q.getGroup()),
                        q -> calls.stage(() -> RenewWorkerIdResponse.newBuilder()
                                .setHeld(source(q.getGroup())
                                        .renew(
                                                slot(q.getSlot()),
                                                Wire.duration(q.getLease()),
                                                Wire.instant(q.getFence())))
                                .build())),
                unary(
                        WorkerIdsGrpc.getReleaseMethod(),
                        USE,
                        q -> List.of(q.getGroup()),
                        q -> calls.stage(() -> {
                            source(q.getGroup()).release(slot(q.getSlot()), Wire.instant(q.getLastUsed()));
                            return ReleaseWorkerIdResponse.getDefaultInstance();
                        })),
                unary(
                        WorkerIdsGrpc.getCensusMethod(),
                        Need.read(Scope.IDS),
                        q -> List.of(q.getGroup()),
                        q -> calls.stage(() -> WorkerCensusResponse.newBuilder()
                                .addAllSlots(source(q.getGroup()).census().stream()
                                        .map(WorkerIdCalls::message)
                                        .toList())
                                .build())));
    }

    private WorkerIdSource source(String group) {
        return backend.workerIds(Names.requireValid("worker group", group));
    }

    private static WorkerClaim claim(ClaimWorkerIdRequest request) {
        return new WorkerClaim(
                request.getRequestId(),
                request.getOwner(),
                request.getLayout(),
                request.getCapacity(),
                Wire.duration(request.getLease()),
                Wire.instant(request.getNow()),
                Wire.duration(request.getReserve()),
                request.hasWanted() ? OptionalInt.of(request.getWanted()) : OptionalInt.empty());
    }

    private static ClaimedWorkerId message(WorkerSlot slot) {
        return ClaimedWorkerId.newBuilder()
                .setWorkerId(slot.workerId())
                .setClaim(slot.claim())
                .setFloor(Wire.message(slot.floor()))
                .setFence(Wire.message(slot.fence()))
                .build();
    }

    private static WorkerSlot slot(ClaimedWorkerId message) {
        return new WorkerSlot(
                message.getWorkerId(),
                message.getClaim(),
                Wire.instant(message.getFloor()),
                Wire.instant(message.getFence()));
    }

    private static WorkerCensusResponse.Slot message(WorkerSlotView view) {
        return WorkerCensusResponse.Slot.newBuilder()
                .setWorkerId(view.workerId())
                .setOwner(view.owner())
                .setSince(Wire.message(view.since()))
                .setLeaseLeft(Wire.message(view.leaseLeft()))
                .setFence(Wire.message(view.fence()))
                .build();
    }
}
