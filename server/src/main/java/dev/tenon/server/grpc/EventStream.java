package dev.tenon.server.grpc;

import dev.tenon.grpc.LockMessages;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.protocol.LockEventsRequest;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.server.access.Caller;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The push stream of one client, for all its sessions. Events are taken on any thread and written on the event loop of
 * the connection, in their order. Of a client that does not read, {@value #PENDING_MAX} are kept; then it is cut off,
 * and asks again when it has come back. Thread-safe.
 */
final class EventStream implements StoreEvents {
    private static final int PENDING_MAX = 10_000;

    private final ClientQuota quota;
    private final Optional<CallContext<LockEventsRequest, LockStoreEvent>> client;
    private final AtomicInteger pending = new AtomicInteger();
    /** Only the event loop touches it. */
    private final Queue<LockStoreEvent> unwritten = new ArrayDeque<>();

    EventStream(ClientQuota quota, CallContext<LockEventsRequest, LockStoreEvent> call) {
        this(quota, Optional.of(call));
        call.whenDrained(() -> write(call));
    }

    private EventStream(ClientQuota quota, Optional<CallContext<LockEventsRequest, LockStoreEvent>> client) {
        this.quota = quota;
        this.client = client;
    }

    /** For sessions whose client has no stream. */
    static EventStream toNobody(ClientQuota quota) {
        return new EventStream(quota, Optional.empty());
    }

    @Override
    public void granted(Grant grant) {
        quota.waitsNoMore(grant.name(), grant.requestId());
        Grant own = new Grant(
                grant.name(),
                named(grant.requestId()),
                named(grant.sessionId()),
                grant.token(),
                grant.sinceQueued(),
                grant.lease());
        send(LockStoreEvent.newBuilder().setGranted(LockMessages.message(own)).build());
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        Revocation own =
                new Revocation(revocation.name(), named(revocation.sessionId()), revocation.token(), revocation.by());
        send(LockStoreEvent.newBuilder()
                .setRevokeAsked(LockMessages.message(own))
                .build());
    }

    @Override
    public void sessionLost(String sessionId) {
        ended(sessionId, false);
    }

    @Override
    public void sessionClosed(String sessionId) {
        ended(sessionId, true);
    }

    private void ended(String sessionId, boolean closed) {
        quota.ended(sessionId);
        send(LockStoreEvent.newBuilder()
                .setSessionLost(LockStoreEvent.SessionLost.newBuilder()
                        .setSessionId(named(sessionId))
                        .setClosed(closed))
                .build());
    }

    @Override
    public void resync() {
        send(LockStoreEvent.newBuilder()
                .setResync(LockStoreEvent.Resync.getDefaultInstance())
                .build());
    }

    /** Whether the events of a caller's sessions may go here. */
    boolean isFor(Caller who) {
        return client.map(call -> call.who().keyId().equals(who.keyId())).orElse(true);
    }

    /** A session, or a request, as its client named it. */
    private String named(String own) {
        return client.map(call -> call.who().namedByCaller(own)).orElse(own);
    }

    /** Takes one event. Does not block. */
    void send(LockStoreEvent event) {
        client.ifPresent(call -> {
            if (pending.incrementAndGet() > PENDING_MAX) {
                pending.decrementAndGet();
                call.onLoop(() -> cutOff(call));
            } else {
                call.onLoop(() -> {
                    unwritten.add(event);
                    write(call);
                });
            }
        });
    }

    private void write(CallContext<LockEventsRequest, LockStoreEvent> call) {
        while (!unwritten.isEmpty() && !call.isOver() && !call.isFull()) {
            pending.decrementAndGet();
            call.write(unwritten.remove());
        }
        if (call.isOver()) {
            forget();
        }
    }

    private void cutOff(CallContext<LockEventsRequest, LockStoreEvent> call) {
        call.fail(new ProblemException(
                ProblemType.OVERLOADED,
                PENDING_MAX
                        + " events are waiting to be read: open another stream, resume the sessions there, and ask again "
                        + "for everything that is waited for."));
        forget();
    }

    /** Ends it. Any thread. */
    void end(ProblemException why) {
        client.ifPresent(call -> call.onLoop(() -> {
            if (!call.isOver()) {
                call.fail(why);
            }
            forget();
        }));
    }

    private void forget() {
        pending.addAndGet(-unwritten.size());
        unwritten.clear();
    }
}
