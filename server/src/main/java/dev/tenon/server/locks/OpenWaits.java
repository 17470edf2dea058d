package dev.tenon.server.locks;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The requests that are under way, by their IDs and by their sessions: of ten thousand, the end of a session concerns a
 * few. Thread-safe.
 */
final class OpenWaits {
    private final Map<Key, LockWait> byRequest = new ConcurrentHashMap<>();
    private final Map<String, Set<LockWait>> bySession = new ConcurrentHashMap<>();

    private record Key(String name, String requestId) {
        static Key of(LockWait wait) {
            return new Key(wait.request().name(), wait.request().requestId());
        }
    }

    /**
     * Adds a request, unless the same one is there: the one that is there then. By its ID first: whoever ends it finds
     * it by that, and one that ended before it was entered would stay.
     */
    LockWait enter(LockWait fresh) {
        LockWait there = byRequest.putIfAbsent(Key.of(fresh), fresh);
        if (there != null) {
            return there;
        }
        String session = fresh.request().sessionId();
        bySession.compute(session, (id, known) -> {
            Set<LockWait> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(fresh);
            return all;
        });
        if (byRequest.get(Key.of(fresh)) != fresh) {
            forget(session, fresh); // it is over already
        }
        return fresh;
    }

    /** Takes a request out; whether it was there. */
    boolean leave(LockWait wait) {
        if (!byRequest.remove(Key.of(wait), wait)) {
            return false;
        }
        forget(wait.request().sessionId(), wait);
        return true;
    }

    Optional<LockWait> of(String name, String requestId) {
        return Optional.ofNullable(byRequest.get(new Key(name, requestId)));
    }

    Collection<LockWait> ofSession(String sessionId) {
        return bySession.getOrDefault(sessionId, Set.of());
    }

    Collection<LockWait> all() {
        return byRequest.values();
    }

    private void forget(String session, LockWait wait) {
        bySession.computeIfPresent(session, (id, all) -> {
            all.remove(wait);
            return all.isEmpty() ? null : all;
        });
    }
}
