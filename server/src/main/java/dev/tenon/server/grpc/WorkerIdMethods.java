package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.Names;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.grpc.WorkerIdMessages;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.ReleaseWorkerIdResponse;
import dev.tenon.protocol.RenewWorkerIdRequest;
import dev.tenon.protocol.RenewWorkerIdResponse;
import dev.tenon.protocol.WorkerCensusResponse;
import dev.tenon.protocol.WorkerIdsGrpc;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.ids.ForgottenWorkerIds;
import dev.tenon.server.quota.DefinitionQuota;
import dev.tenon.server.service.IdCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The service {@code tenon.v1.WorkerIds}: the sources of worker IDs, as they are, on threads that may block. */
final class WorkerIdMethods {
    private static final Need USE = Need.use(Scope.IDS);

    private final OwnSlots slots = new OwnSlots();
    private final ServerBackend backend;
    private final IdCalls calls;
    private final DefinitionQuota quota;
    private final ForgottenWorkerIds forgotten;

    WorkerIdMethods(ServerBackend backend, IdCalls calls, DefinitionQuota quota, ForgottenWorkerIds forgotten) {
        this.quota = quota;
        this.forgotten = forgotten;
        this.backend = backend;
        this.calls = calls;
    }

    List<GrpcMethod<?, ?>> methods() {
        return List.of(
                unaryFor(WorkerIdsGrpc.getClaimMethod(), USE, q -> List.of(q.getGroup()), (q, who) -> {
                    WorkerClaim claim = claim(q);
                    return calls.stage(() -> {
                        WorkerSlot slot = claimed(source(q.getGroup()), q.getGroup(), claim, who);
                        return WorkerIdMessages.message(slot).toBuilder()
                                .setKept(q.hasKept())
                                .build();
                    });
                }),
                unaryFor(
                        WorkerIdsGrpc.getRenewMethod(),
                        USE,
                        q -> List.of(q.getGroup()),
                        (q, who) -> calls.stage(() -> renew(q, who))),
                unaryFor(
                        WorkerIdsGrpc.getReleaseMethod(),
                        USE,
                        q -> List.of(q.getGroup()),
                        (q, who) -> calls.stage(() -> {
                            slots.release(
                                    source(q.getGroup()),
                                    q.getGroup(),
                                    WorkerIdMessages.slot(q.getSlot()),
                                    TimeMessages.instant(q.getLastUsed()),
                                    who);
                            return ReleaseWorkerIdResponse.getDefaultInstance();
                        })),
                unaryFor(
                        WorkerIdsGrpc.getCensusMethod(),
                        Need.read(Scope.IDS),
                        q -> List.of(q.getGroup()),
                        (q, who) -> calls.stage(() -> WorkerCensusResponse.newBuilder()
                                .addAllSlots(source(q.getGroup()).census().stream()
                                        .map(view -> message(view, who))
                                        .toList())
                                .build())));
    }

    private WorkerSlot claimed(WorkerIdSource source, String group, WorkerClaim claim, Caller who) {
        WorkerSlot slot = quota.using(
                who.keyId(),
                "workers " + group,
                0,
                () -> !source.census().isEmpty(),
                () -> slots.claim(source, group, claim, who));
        claim.kept()
                .filter(kept -> kept.claim() != slot.claim())
                .ifPresent(kept -> forgotten.told(
                        group,
                        "The store had forgotten that worker ID " + slot.workerId() + " of group \"" + group
                                + "\" is held by " + claim.owner() + ", who has told it so"));
        return slot;
    }

    private RenewWorkerIdResponse renew(RenewWorkerIdRequest request, Caller who) {
        WorkerIdSource source = source(request.getGroup());
        WorkerSlot slot = WorkerIdMessages.slot(request.getSlot());
        Duration lease = lease(request.getLease());
        Instant fence = TimeMessages.instant(request.getFence());
        boolean held = slots.mayRenew(source, request.getGroup(), slot, who) && source.renew(slot, lease, fence);
        return RenewWorkerIdResponse.newBuilder().setHeld(held).build();
    }

    /** One that is too long would keep a store that may have forgotten from giving any for as long. */
    private static Duration lease(com.google.protobuf.Duration asked) {
        Duration lease = TimeMessages.duration(asked);
        if (lease.compareTo(WorkerId.Builder.LEASE_MAX) > 0) {
            throw new IllegalArgumentException("The lease of a worker ID must be at most one day: " + lease);
        }
        return lease;
    }

    private WorkerIdSource source(String group) {
        return backend.workerIds(Names.requireValid("worker group", group));
    }

    private static WorkerClaim claim(ClaimWorkerIdRequest request) {
        lease(request.getLease());
        return WorkerIdMessages.claim(request);
    }

    private static WorkerCensusResponse.Slot message(WorkerSlotView view, Caller who) {
        return WorkerIdMessages.message(view).toBuilder()
                .setOwner(who.namedByCaller(view.owner()))
                .build();
    }
}
