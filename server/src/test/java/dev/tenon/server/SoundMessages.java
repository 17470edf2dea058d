package dev.tenon.server;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.tenon.protocol.AcquireAllRequest;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.BeginTransactionRequest;
import dev.tenon.protocol.BeginTransactionResponse;
import dev.tenon.protocol.CancelRequest;
import dev.tenon.protocol.ClaimTransactionsRequest;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.ClaimedWorkerId;
import dev.tenon.protocol.CloseSessionRequest;
import dev.tenon.protocol.DefineIdsRequest;
import dev.tenon.protocol.DefineRangeRequest;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.DeleteIdsRequest;
import dev.tenon.protocol.EvictLockRequest;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.KeepAliveRequest;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.LoggedBranch;
import dev.tenon.protocol.NewTransaction;
import dev.tenon.protocol.NextIdByCodeRequest;
import dev.tenon.protocol.NextIdsRequest;
import dev.tenon.protocol.NextRangeRequest;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.PutDefinitionRequest;
import dev.tenon.protocol.RaiseRangeRequest;
import dev.tenon.protocol.RangesGrpc;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseWorkerIdRequest;
import dev.tenon.protocol.RemoveDefinitionRequest;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.protocol.RenewWorkerIdRequest;
import dev.tenon.protocol.ReplaceDefinitionRequest;
import dev.tenon.protocol.RevokeLockRequest;
import dev.tenon.protocol.SequenceDefinition;
import dev.tenon.protocol.TransactionLogGrpc;
import dev.tenon.protocol.TransactionNote;
import dev.tenon.protocol.UpdateTransactionRequest;
import dev.tenon.protocol.WorkerIdsGrpc;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** Requests that a server takes, from which {@link HostileMessages} makes others. */
final class SoundMessages {
    private static final Duration HOUR = Duration.newBuilder().setSeconds(3600).build();

    private SoundMessages() {}

    /** A sound request of each method that stores something; another one for each number. */
    static Map<MethodDescriptor<?, ?>, IntFunction<Message>> of(String session, Message begun) {
        Map<MethodDescriptor<?, ?>, IntFunction<Message>> sound = new LinkedHashMap<>();
        ofLocks(sound, session);
        ofIds(sound);
        sound.put(TransactionLogGrpc.getBeginMethod(), i -> begin("g" + i));
        sound.put(TransactionLogGrpc.getUpdateMethod(), i -> begun.toBuilder().build());
        sound.put(
                TransactionLogGrpc.getClaimMethod(),
                i -> ClaimTransactionsRequest.newBuilder()
                        .setService("shop")
                        .setOwner("o")
                        .setLease(Duration.newBuilder().setNanos(1_000_000))
                        .setLimit(10)
                        .build());
        return sound;
    }

    private static void ofLocks(Map<MethodDescriptor<?, ?>, IntFunction<Message>> sound, String session) {
        sound.put(
                LocksGrpc.getOpenSessionMethod(),
                i -> OpenSessionRequest.newBuilder()
                        .setSessionId("s" + i)
                        .setOwner("o")
                        .setTtl(HOUR)
                        .build());
        sound.put(LocksGrpc.getAcquireMethod(), i -> acquire(session, "l" + i));
        sound.put(
                LocksGrpc.getAcquireAllMethod(),
                i -> AcquireAllRequest.newBuilder()
                        .addRequests(acquire(session, "m" + i))
                        .addRequests(acquire(session, "n" + i))
                        .build());
        sound.put(
                LocksGrpc.getReleaseMethod(),
                i -> ReleaseRequest.newBuilder()
                        .addReleases(
                                ReleaseRequest.One.newBuilder().setName("l" + i).setToken(1))
                        .build());
        sound.put(
                LocksGrpc.getRenewMethod(),
                i -> RenewRequest.newBuilder()
                        .addRenewals(RenewRequest.One.newBuilder()
                                .setName("held")
                                .setToken(1)
                                .setLease(HOUR))
                        .build());
        sound.put(
                LocksGrpc.getCancelMethod(),
                i -> CancelRequest.newBuilder()
                        .setName("held")
                        .setRequestId("r" + i)
                        .build());
        sound.put(
                LocksGrpc.getRevokeMethod(),
                i -> RevokeLockRequest.newBuilder().setName("held").setBy("me").build());
        sound.put(
                LocksGrpc.getEvictMethod(),
                i -> EvictLockRequest.newBuilder()
                        .setName("l" + i)
                        .setReason("gone")
                        .build());
        sound.put(
                LocksGrpc.getKeepAliveMethod(),
                i -> KeepAliveRequest.newBuilder().setSessionId(session).build());
        sound.put(
                LocksGrpc.getCloseSessionMethod(),
                i -> CloseSessionRequest.newBuilder().setSessionId("none").build());
    }

    /** Takes a lock, if it is free. */
    static AcquireRequest acquire(String session, String name) {
        return AcquireRequest.newBuilder()
                .setName(name)
                .setSessionId(session)
                .setRequestId("r-" + name)
                .setOwner("o")
                .setLease(HOUR)
                .build();
    }

    private static void ofIds(Map<MethodDescriptor<?, ?>, IntFunction<Message>> sound) {
        String uuid = "{\"kind\":\"uuid\"}";
        sound.put(
                IdsGrpc.getDefineMethod(),
                i -> DefineIdsRequest.newBuilder()
                        .setName("i" + i)
                        .setDefinition(uuid)
                        .build());
        sound.put(
                IdsGrpc.getNextMethod(),
                i -> NextIdsRequest.newBuilder().setName("default").setCount(2).build());
        sound.put(
                IdsGrpc.getNextByCodeMethod(),
                i -> NextIdByCodeRequest.newBuilder()
                        .setCode(i)
                        .setText(i % 2 == 0)
                        .build());
        sound.put(
                IdsGrpc.getDeleteMethod(),
                i -> DeleteIdsRequest.newBuilder().setName("none" + i).build());
        sound.put(
                DefinitionsGrpc.getPutIfAbsentMethod(),
                i -> PutDefinitionRequest.newBuilder()
                        .setName("d" + i)
                        .setText(uuid)
                        .build());
        sound.put(
                DefinitionsGrpc.getReplaceMethod(),
                i -> ReplaceDefinitionRequest.newBuilder()
                        .setName("replaced")
                        .setBefore(uuid)
                        .setText(uuid)
                        .build());
        sound.put(
                DefinitionsGrpc.getRemoveMethod(),
                i -> RemoveDefinitionRequest.newBuilder()
                        .setName("none" + i)
                        .setText(uuid)
                        .build());
        sound.put(
                RangesGrpc.getNextMethod(),
                i -> NextRangeRequest.newBuilder().setName("n" + i).setCount(3).build());
        sound.put(
                RangesGrpc.getDefineMethod(),
                i -> DefineRangeRequest.newBuilder()
                        .setName("f" + i)
                        .setDefinition(SequenceDefinition.newBuilder()
                                .setStart(1)
                                .setStep(2)
                                .setMax(Long.MAX_VALUE))
                        .build());
        sound.put(
                RangesGrpc.getRaiseMethod(),
                i -> RaiseRangeRequest.newBuilder().setName("q" + i).setFloor(4).build());
        Timestamp now = Timestamp.newBuilder()
                .setSeconds(Instant.now().getEpochSecond())
                .build();
        sound.put(
                WorkerIdsGrpc.getClaimMethod(),
                i -> ClaimWorkerIdRequest.newBuilder()
                        .setGroup("group" + i)
                        .setRequestId("r" + i)
                        .setOwner("o")
                        .setLayout("l")
                        .setCapacity(8)
                        .setLease(HOUR)
                        .setNow(now)
                        .setReserve(HOUR)
                        .setNewStore(true)
                        .build());
        ClaimedWorkerId slot = ClaimedWorkerId.newBuilder()
                .setClaim(1)
                .setFloor(now)
                .setFence(now)
                .build();
        sound.put(
                WorkerIdsGrpc.getRenewMethod(),
                i -> RenewWorkerIdRequest.newBuilder()
                        .setGroup("held")
                        .setSlot(slot)
                        .setLease(HOUR)
                        .setFence(now)
                        .build());
        sound.put(
                WorkerIdsGrpc.getReleaseMethod(),
                i -> ReleaseWorkerIdRequest.newBuilder()
                        .setGroup("held")
                        .setSlot(slot)
                        .setLastUsed(now)
                        .build());
    }

    private static BeginTransactionRequest begin(String gid) {
        return BeginTransactionRequest.newBuilder()
                .setTransaction(NewTransaction.newBuilder()
                        .setGid(gid)
                        .setKind("saga")
                        .setService("shop")
                        .setName("order")
                        .setPayload("{}")
                        .setState("ACTIVE")
                        .setDeadline(HOUR)
                        .addBranches(LoggedBranch.newBuilder()
                                .setName("b")
                                .putTargets("action", "there")
                                .setPayload("p")
                                .setState("PLANNED")))
                .setOwner("o")
                .setLease(HOUR)
                .build();
    }

    /** An update of a transaction that it begins, where the store keeps some. */
    static Message update(ManagedChannel channel) {
        UpdateTransactionRequest.Builder update = UpdateTransactionRequest.newBuilder();
        try {
            BeginTransactionResponse begun =
                    TransactionLogGrpc.newBlockingStub(channel).begin(begin("updated"));
            update.setBefore(begun.getTransaction())
                    .setProgress(begun.getTransaction().getProgress())
                    .setBranches(1);
        } catch (StatusRuntimeException e) {
            // this store keeps no transactions
        }
        return update.addNotes(TransactionNote.newBuilder()
                        .setWhat("told")
                        .setBy("me")
                        .setDetail("so")
                        .setAt(Timestamp.newBuilder().setSeconds(Instant.now().getEpochSecond())))
                .build();
    }
}
