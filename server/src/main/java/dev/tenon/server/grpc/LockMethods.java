package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.unary;
import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.TimeSource;
import dev.tenon.grpc.LockMessages;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.protocol.AcquireAllRequest;
import dev.tenon.protocol.AcquireAllResponse;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.CancelRequest;
import dev.tenon.protocol.CancelResponse;
import dev.tenon.protocol.CloseSessionResponse;
import dev.tenon.protocol.EvictLockRequest;
import dev.tenon.protocol.EvictLockResponse;
import dev.tenon.protocol.InspectLockResponse;
import dev.tenon.protocol.KeepAliveResponse;
import dev.tenon.protocol.ListLocksRequest;
import dev.tenon.protocol.ListLocksResponse;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.OpenSessionResponse;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.protocol.RevokeLockRequest;
import dev.tenon.protocol.RevokeLockResponse;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.quota.Quotas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The service {@code tenon.v1.Locks}: the lock store, as it is. */
final class LockMethods {
    private static final Need USE = Need.use(Scope.LOCKS);
    private static final Need SESSIONS = Need.use(Scope.SESSIONS);

    private final EventStreams streams;
    private final ClientQuota quota;
    private final ServerBackend backend;
    private final LockStore store;
    private final OwnHolds holds;
    private final Audit audit;

    LockMethods(ServerBackend backend, Quotas quotas, Audit audit) {
        this.backend = backend;
        this.audit = audit;
        this.store = backend.lockStore();
        this.holds = new OwnHolds(store);
        this.quota = new ClientQuota(quotas, store.traits().sessionsExpire(), TimeSource.system());
        this.streams = new EventStreams(quota);
    }

    /** The push streams that are open. */
    EventStreams streams() {
        return streams;
    }

    List<GrpcMethod<?, ?>> methods() {
        List<GrpcMethod<?, ?>> methods = new ArrayList<>(ofSessions());
        methods.add(unaryFor(
                LocksGrpc.getAcquireMethod(),
                USE,
                q -> List.of(q.getName()),
                (q, who) -> acquire(acquire(q, who), who).thenApply(LockMessages::message)));
        if (store instanceof MultiLockStore several) {
            methods.add(unaryFor(
                    LocksGrpc.getAcquireAllMethod(),
                    USE,
                    q -> q.getRequestsList().stream()
                            .map(AcquireRequest::getName)
                            .toList(),
                    (q, who) -> acquireAll(several, q, who)));
        }
        methods.add(unaryFor(
                LocksGrpc.getReleaseMethod(),
                USE,
                q -> q.getReleasesList().stream()
                        .map(ReleaseRequest.One::getName)
                        .toList(),
                holds::release));
        methods.add(unaryFor(
                LocksGrpc.getRenewMethod(),
                USE,
                q -> q.getRenewalsList().stream().map(RenewRequest.One::getName).toList(),
                holds::renew));
        methods.add(unaryFor(LocksGrpc.getCancelMethod(), USE, q -> List.of(q.getName()), this::cancel));
        methods.addAll(ofOnlookers());
        return methods;
    }

    private List<GrpcMethod<?, ?>> ofSessions() {
        return List.of(
                unary(
                        LocksGrpc.getDescribeMethod(),
                        Need.NOTHING,
                        GrpcMethod::nameless,
                        q -> CompletableFuture.completedStage(
                                LockMessages.message(store.traits(), store instanceof MultiLockStore))),
                new GrpcMethod<>(LocksGrpc.getEventsMethod(), SESSIONS, GrpcMethod::nameless, streams::open),
                unaryFor(LocksGrpc.getOpenSessionMethod(), SESSIONS, GrpcMethod::nameless, this::open),
                unaryFor(
                        LocksGrpc.getKeepAliveMethod(),
                        SESSIONS,
                        GrpcMethod::nameless,
                        (q, who) -> keepAlive(who.ownSession(q.getSessionId()))
                                .thenApply(alive -> KeepAliveResponse.newBuilder()
                                        .setAlive(alive)
                                        .build())),
                unaryFor(
                        LocksGrpc.getCloseSessionMethod(),
                        SESSIONS,
                        GrpcMethod::nameless,
                        (q, who) -> close(who.ownSession(q.getSessionId()))));
    }

    private List<GrpcMethod<?, ?>> ofOnlookers() {
        return List.of(
                unary(
                        LocksGrpc.getInspectMethod(),
                        Need.read(Scope.LOCKS),
                        q -> List.of(q.getName()),
                        q -> store.inspect(q.getName()).thenApply(view -> {
                            InspectLockResponse.Builder answer = InspectLockResponse.newBuilder();
                            view.ifPresent(v -> answer.setLock(LockMessages.message(v)));
                            return answer.build();
                        })),
                unary(LocksGrpc.getListMethod(), Need.read(Scope.LOCKS), q -> List.of(q.getPrefix()), this::list),
                unaryFor(LocksGrpc.getEvictMethod(), Need.admin(Scope.LOCKS), q -> List.of(q.getName()), this::evict),
                unary(LocksGrpc.getRevokeMethod(), USE, q -> List.of(q.getName()), this::revoke));
    }

    /** A wish in a session of the caller's own, under a request ID of his own: whoever knows another's can't use it. */
    private static Acquire acquire(AcquireRequest request, Caller who) {
        Acquire asked = LockMessages.acquire(request);
        return new Acquire(
                asked.name(),
                who.ownSession(asked.sessionId()),
                who.own(asked.requestId()),
                asked.owner(),
                asked.lease(),
                asked.waitTime(),
                asked.terms());
    }

    private CompletionStage<OpenSessionResponse> open(OpenSessionRequest request, Caller who) {
        SessionSpec spec = new SessionSpec(
                who.ownSession(request.getSessionId()), request.getOwner(), TimeMessages.duration(request.getTtl()));
        EventStream events = streams.named(request.getStream(), who);
        quota.opens(spec, who, request.getStream());
        CompletionStage<OpenSessionResponse> opened =
                request.getResume() && store.traits().sessionsExpire() ? resume(spec, events) : open(spec, events);
        return opened.whenComplete((answer, failure) -> {
            if (failure != null) {
                quota.ended(spec.id());
            }
        });
    }

    private CompletionStage<OpenSessionResponse> open(SessionSpec spec, EventStream events) {
        return store.open(spec, holds.noting(events)).thenApply(session -> opened(true, session.ttl()));
    }

    /** To open it would bring it back after it was ended, without what it held. */
    private CompletionStage<OpenSessionResponse> resume(SessionSpec spec, EventStream events) {
        return backend.attach(spec.id(), holds.noting(events))
                .thenCompose(found -> keepAlive(spec.id()))
                .thenApply(alive -> opened(alive, spec.ttl()));
    }

    private CompletionStage<Boolean> keepAlive(String sessionId) {
        return store.keepAlive(sessionId).thenApply(alive -> {
            if (alive) {
                quota.alive(sessionId);
            } else {
                quota.ended(sessionId);
            }
            return alive;
        });
    }

    private CompletionStage<CloseSessionResponse> close(String sessionId) {
        return store.closeSession(sessionId).thenApply(v -> {
            quota.ended(sessionId);
            return CloseSessionResponse.getDefaultInstance();
        });
    }

    private CompletionStage<Outcome> acquire(Acquire request, Caller who) {
        return request.terms().converts().isEmpty()
                ? acquireCounted(request, who)
                : holds.mayConvert(List.of(request))
                        .thenCompose(may -> may
                                ? acquireCounted(request, who)
                                : CompletableFuture.completedStage(new Outcome.NotHeld()));
    }

    private CompletionStage<Outcome> acquireCounted(Acquire request, Caller who) {
        quota.waits(request, who);
        return store.acquire(request).whenComplete((outcome, failure) -> {
            if (!(outcome instanceof Outcome.Queued)) {
                quota.waitsNoMore(request.name(), request.requestId());
            }
            holds.answered(request, outcome);
        });
    }

    private CompletionStage<CancelResponse> cancel(CancelRequest request, Caller who) {
        Cancel asked = LockMessages.cancel(request);
        Cancel own = new Cancel(asked.name(), who.own(asked.requestId()));
        return store.cancel(own).thenApply(answer -> {
            quota.waitsNoMore(own.name(), own.requestId());
            return LockMessages.message(answer);
        });
    }

    private static OpenSessionResponse opened(boolean open, Duration ttl) {
        return OpenSessionResponse.newBuilder()
                .setOpen(open)
                .setTtl(TimeMessages.message(ttl))
                .build();
    }

    private CompletionStage<AcquireAllResponse> acquireAll(
            MultiLockStore several, AcquireAllRequest request, Caller who) {
        List<Acquire> wishes =
                request.getRequestsList().stream().map(q -> acquire(q, who)).toList();
        return holds.mayConvert(wishes)
                .thenCompose(may -> may
                        ? several.acquireAll(wishes)
                        : CompletableFuture.completedStage(List.<Outcome>of(new Outcome.NotHeld())))
                .whenComplete((outcomes, failure) -> {
                    for (int i = 0; outcomes != null && i < outcomes.size(); i++) {
                        holds.answered(wishes.get(i), outcomes.get(i));
                    }
                })
                .thenApply(outcomes -> AcquireAllResponse.newBuilder()
                        .addAllOutcomes(
                                outcomes.stream().map(LockMessages::message).toList())
                        .build());
    }

    private CompletionStage<ListLocksResponse> list(ListLocksRequest request) {
        return store.list(request.getPrefix(), request.getAfter(), request.getLimit())
                .thenApply(page -> {
                    ListLocksResponse.Builder answer = ListLocksResponse.newBuilder()
                            .addAllLocks(page.locks().stream()
                                    .map(LockMessages::message)
                                    .toList());
                    page.next().ifPresent(answer::setNext);
                    return answer.build();
                });
    }

    private CompletionStage<EvictLockResponse> evict(EvictLockRequest request, Caller who) {
        String name = request.getName();
        long token = request.getExpectedToken();
        return store.inspect(name)
                .thenCompose(view -> store.evict(name, token, request.getReason())
                        .thenApply(floor -> {
                            EvictLockResponse.Builder answer = EvictLockResponse.newBuilder();
                            floor.ifPresent(f -> {
                                String owner = view.flatMap(v -> v.holderUnder(token))
                                        .map(h -> h.owner())
                                        .orElse("");
                                Map<String, Object> more =
                                        Map.of("why", request.getReason(), "owner", owner, "token", token);
                                audit.tell("lock-evicted", who.name(), name, more);
                                answer.setFloor(f);
                            });
                            return answer.build();
                        }));
    }

    private CompletionStage<RevokeLockResponse> revoke(RevokeLockRequest request) {
        return store.revoke(request.getName(), request.getBy())
                .thenApply(holders ->
                        RevokeLockResponse.newBuilder().setHolders(holders).build());
    }
}
