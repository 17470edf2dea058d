package dev.tenon.server.locks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which session got which token, for the latest {@value #ENTRIES_MAX} grants of this process: spares the store a
 * question each time a lock is renewed or released. What is not here is asked there. Thread-safe.
 */
public final class TokenOwners {
    private static final int ENTRIES_MAX = 100_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<Held, String> sessions = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Held, String> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record Held(String name, long token) {}

    /** A session was granted a token, now or before. Whose a token is never changes: the first word counts. */
    public void remember(String name, long token, String sessionId) {
        guard.lock();
        try {
            sessions.putIfAbsent(new Held(name, token), sessionId);
        } finally {
            guard.unlock();
        }
    }

    /** The session that a token was granted to; empty: that is not known here. */
    public Optional<String> sessionOf(String name, long token) {
        guard.lock();
        try {
            return Optional.ofNullable(sessions.get(new Held(name, token)));
        } finally {
            guard.unlock();
        }
    }

    /** A token is of no use any more. */
    public void forget(String name, long token) {
        guard.lock();
        try {
            sessions.remove(new Held(name, token));
        } finally {
            guard.unlock();
        }
    }
}
