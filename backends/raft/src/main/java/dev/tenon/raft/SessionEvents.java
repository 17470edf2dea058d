package dev.tenon.raft;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.Command.Applied;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the sessions that are attached in this process what the log decided for them. Thread-safe. */
final class SessionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);

    private final Map<String, StoreEvents> receivers = new ConcurrentHashMap<>();
    private volatile Consumer<String> ended = sessionId -> {};

    /** Tells {@code listener} of each session that ends, whoever has opened it. */
    void whenEnded(Consumer<String> listener) {
        ended = listener;
    }

    /** Sends the events of a session to {@code receiver} from now on. */
    void attach(String sessionId, StoreEvents receiver) {
        receivers.put(sessionId, receiver);
    }

    /** Stops telling {@code receiver}, unless another one has taken its place. */
    void detach(String sessionId, StoreEvents receiver) {
        receivers.remove(sessionId, receiver);
    }

    /** Stops telling the receiver of a session, whichever it is. */
    void detach(String sessionId) {
        receivers.remove(sessionId);
    }

    /** Tells what an entry has brought about. */
    void tell(Applied applied) {
        for (Grant grant : applied.grants()) {
            tell(receivers.get(grant.sessionId()), receiver -> receiver.granted(grant));
        }
        for (Revocation revocation : applied.revocations()) {
            tell(receivers.get(revocation.sessionId()), receiver -> receiver.revokeAsked(revocation));
        }
        for (String sessionId : applied.endedSessions()) {
            tell(receivers.remove(sessionId), receiver -> receiver.sessionLost(sessionId));
            ended.accept(sessionId);
        }
    }

    /** Tells everybody to ask again, as something may not have been told. */
    void resync() {
        receivers.values().forEach(receiver -> tell(receiver, StoreEvents::resync));
    }

    private static void tell(@Nullable StoreEvents receiver, Consumer<StoreEvents> message) {
        if (receiver == null) {
            return;
        }
        try {
            message.accept(receiver);
        } catch (RuntimeException e) {
            LOG.warn("A receiver of lock events failed", e); // it must not stop the log
        }
    }
}
