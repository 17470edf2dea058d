package dev.tenon.server.grpc;

import dev.tenon.protocol.LockEventsRequest;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.server.access.Caller;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The push streams that are open, one a client. Thread-safe. */
final class EventStreams {
    private final Map<String, EventStream> open = new ConcurrentHashMap<>();
    private final ClientQuota quota;
    private final EventStream nowhere;

    EventStreams(ClientQuota quota) {
        this.quota = quota;
        this.nowhere = EventStream.toNobody(quota);
    }

    /** Opens a stream; it is known until its call is over. */
    void open(LockEventsRequest request, CallContext<LockEventsRequest, LockStoreEvent> call) {
        String id = UUID.randomUUID().toString();
        EventStream stream = new EventStream(quota, call);
        open.put(id, stream);
        call.whenOver(() -> {
            open.remove(id);
            quota.streamEnded(id);
        });
        stream.send(LockStoreEvent.newBuilder()
                .setConnected(LockStoreEvent.Connected.newBuilder().setStream(id))
                .build());
    }

    /** Ends every stream that is open now: its client is to open one at another server. */
    void endAll(ProblemException why) {
        open.values().forEach(stream -> stream.end(why));
    }

    /**
     * Where the events of a session are to go: to a stream of the same key; a client that has no stream hears nothing.
     */
    EventStream named(String id, Caller who) {
        EventStream stream = id.isEmpty() ? nowhere : open.get(id);
        if (stream == null || !stream.isFor(who)) {
            throw new ProblemException(
                    ProblemType.UNKNOWN_SESSION,
                    "Unknown stream \"" + id
                            + "\" at this server: call Events, and open sessions with the ID that it returns.");
        }
        return stream;
    }
}
