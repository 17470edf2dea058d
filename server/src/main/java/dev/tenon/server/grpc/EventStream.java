package dev.tenon.server.grpc;

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
 * The push stream of one client, for all its sessions. Events are taken on any thread and written on the event loop of the
 * connection, in their order. Of a client that does not read, {@value #PENDING_MAX} are kept; then it is cut off, and asks
 * again when it has come back. Thread-safe.
 */
final class EventStream implements StoreEvents {
    private static final int PENDING_MAX = 10_000;

    private final Presence presence;
    private final Optional<GrpcTurn<LockEventsRequest, LockStoreEvent>> client;
    private final AtomicInteger pending = new AtomicInteger();
    /** Only the event loop touches it. */
    private final Queue<LockStoreEvent> unwritten = new ArrayDeque<>();

    EventStream(Presence presence, GrpcTurn<LockEventsRequest, LockStoreEvent> turn) {
        this(presence, Optional.of(turn));
        turn.whenDrained(() -> write(turn));
    }

    private EventStream(Presence presence, Optional<GrpcTurn<LockEventsRequest, LockStoreEvent>> client) {
        this.presence = presence;
        this.client = client;
    }

    /** For sessions whose client has no stream. */
    static EventStream toNobody(Presence presence) {
        return new EventStream(presence, Optional.empty());
    }

    @Override
    public void granted(Grant grant) {
        presence.waitsNoMore(grant.name(), grant.requestId());
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
        presence.ended(sessionId);
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
        return client.map(turn -> turn.who().keyId().equals(who.keyId())).orElse(true);
    }

    /** A session, or a request, as its client named it. */
    private String named(String own) {
        return client.map(turn -> turn.who().namedByCaller(own)).orElse(own);
    }

    /** Takes one event. Does not block. */
    void send(LockStoreEvent event) {
        client.ifPresent(turn -> {
            if (pending.incrementAndGet() > PENDING_MAX) {
                pending.decrementAndGet();
                turn.onLoop(() -> cutOff(turn));
            } else {
                turn.onLoop(() -> {
                    unwritten.add(event);
                    write(turn);
                });
            }
        });
    }

    private void write(GrpcTurn<LockEventsRequest, LockStoreEvent> turn) {
        while (!unwritten.isEmpty() && !turn.isOver() && !turn.isFull()) {
            pending.decrementAndGet();
            turn.write(unwritten.remove());
        }
        if (turn.isOver()) {
            forget();
        }
    }

    private void cutOff(GrpcTurn<LockEventsRequest, LockStoreEvent> turn) {
        turn.fail(new ProblemException(
                ProblemType.OVERLOADED,
                PENDING_MAX
                        + " events are waiting to be read: open another stream, resume the sessions there, and ask again "
                        + "for everything that is waited for."));
        forget();
    }

    /** Ends it. Any thread. */
    void end(ProblemException why) {
        client.ifPresent(turn -> turn.onLoop(() -> {
            if (!turn.isOver()) {
                turn.fail(why);
            }
            forget();
        }));
    }

    private void forget() {
        pending.addAndGet(-unwritten.size());
        unwritten.clear();
    }
}
