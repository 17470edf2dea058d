package dev.tenon.raft;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionEnd;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.raft.Command.Applied;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the sessions that are attached in this process what the log decided for them. Thread-safe. */
final class SessionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);

    private final Map<String, Attached> receivers = new ConcurrentHashMap<>();
    private volatile Consumer<String> ended = sessionId -> {};

    /**
     * Who hears of a session.
     *
     * @param known whether this node has seen the session in the log, so that it has ended if it is there no more
     */
    private record Attached(StoreEvents receiver, boolean known) {}

    /** Tells {@code listener} of each session that ends, whoever has opened it. */
    void whenEnded(Consumer<String> listener) {
        ended = listener;
    }

    /** Sends the events of a session to {@code receiver} from now on. */
    void attach(String sessionId, StoreEvents receiver) {
        receivers.put(sessionId, new Attached(receiver, false));
    }

    /** The session of {@code receiver} is in the log. */
    void known(String sessionId, StoreEvents receiver) {
        receivers.computeIfPresent(
                sessionId, (id, there) -> there.receiver().equals(receiver) ? new Attached(receiver, true) : there);
    }

    /** Stops telling {@code receiver}, unless another one has taken its place. */
    void detach(String sessionId, StoreEvents receiver) {
        receivers.computeIfPresent(sessionId, (id, there) -> there.receiver().equals(receiver) ? null : there);
    }

    /** Stops telling the receiver of a session, whichever it is. */
    void detach(String sessionId) {
        receivers.remove(sessionId);
    }

    /** How many sessions are attached. */
    int size() {
        return receivers.size();
    }

    /** Tells what an entry has brought about. */
    void tell(Applied applied) {
        for (Grant grant : applied.grants()) {
            tell(receivers.get(grant.sessionId()), receiver -> receiver.granted(grant));
        }
        for (Revocation revocation : applied.revocations()) {
            tell(receivers.get(revocation.sessionId()), receiver -> receiver.revokeAsked(revocation));
        }
        applied.ended().forEach(this::tell);
    }

    /**
     * A snapshot has taken the place of entries, and what those had to tell was not told: sessions that are not among
     * the {@code open} ones have ended, the others are told to ask again.
     *
     * @param open of some sessions those that are in the snapshot
     */
    void restored(UnaryOperator<Collection<String>> open) {
        Set<String> known = receivers.entrySet().stream()
                .filter(attached -> attached.getValue().known())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        known.removeAll(open.apply(Set.copyOf(known)));
        known.forEach(gone -> tell(new SessionEnd(gone, false)));
        receivers.values().forEach(attached -> tell(attached, StoreEvents::resync));
    }

    private void tell(SessionEnd end) {
        tell(receivers.remove(end.sessionId()), end::tell);
        ended.accept(end.sessionId());
    }

    private static void tell(@Nullable Attached attached, Consumer<StoreEvents> message) {
        if (attached == null) {
            return;
        }
        try {
            message.accept(attached.receiver());
        } catch (RuntimeException e) {
            LOG.warn("A receiver of lock events failed", e); // it must not stop the log
        }
    }
}
