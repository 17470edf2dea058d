package dev.tenon.server.locks;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sessions over a store that ends none: their ends are counted here, and a lock that is to live as long as its session
 * gets a lease as long, which each sign of life of the session extends. Thread-safe.
 */
final class LocalSessions {
    private final Map<String, Presence> sessions = new ConcurrentHashMap<>();
    private final TimeSource time;

    private static final class Presence {
        private final Duration ttl;
        private final Map<Lock, Boolean> following = new ConcurrentHashMap<>();
        private volatile long deadlineNanos;

        private Presence(Duration ttl, long nowNanos) {
            this.ttl = ttl;
            this.deadlineNanos = nowNanos + ttl.toNanos();
        }
    }

    private record Lock(String name, long token) {}

    LocalSessions(TimeSource time) {
        this.time = time;
    }

    void open(SessionSpec spec) {
        sessions.putIfAbsent(spec.id(), new Presence(spec.ttl(), time.nanoTime()));
    }

    /** The TTL of a session; empty: there is none (any more). */
    Optional<Duration> ttl(String sessionId) {
        return live(sessionId).map(p -> p.ttl);
    }

    /** The request with a lease, its own or that of its session; empty: there is no such session (any more). */
    Optional<Acquire> leased(Acquire asked) {
        return ttl(asked.sessionId()).map(ttl -> asked.lease().isPresent() ? asked : asked.withLease(ttl));
    }

    /** Lets a session live for another TTL; what is to be renewed with it, or empty if there is none. */
    Optional<List<Renew>> keepAlive(String sessionId) {
        return live(sessionId).map(p -> {
            p.deadlineNanos = time.nanoTime() + p.ttl.toNanos();
            return p.following.keySet().stream()
                    .map(lock -> new Renew(lock.name(), lock.token(), Optional.of(p.ttl)))
                    .toList();
        });
    }

    /** A lock is to live as long as its session. Its holder counts a whole TTL from now, and so must the session. */
    void follows(String sessionId, String name, long token) {
        live(sessionId).ifPresent(p -> {
            p.deadlineNanos = time.nanoTime() + p.ttl.toNanos();
            p.following.put(new Lock(name, token), true);
        });
    }

    /** A lock is gone, or has a lease of its own. */
    void followsNoMore(String sessionId, String name, long token) {
        live(sessionId).ifPresent(p -> p.following.remove(new Lock(name, token)));
    }

    void forget(String sessionId) {
        sessions.remove(sessionId);
    }

    /** The sessions whose time is over. */
    List<String> expired() {
        long now = time.nanoTime();
        return sessions.entrySet().stream()
                .filter(e -> e.getValue().deadlineNanos - now < 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    private Optional<Presence> live(String sessionId) {
        @Nullable Presence presence = sessions.get(sessionId);
        return Optional.ofNullable(presence).filter(p -> p.deadlineNanos - time.nanoTime() >= 0);
    }
}
