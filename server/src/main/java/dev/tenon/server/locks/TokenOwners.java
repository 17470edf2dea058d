package dev.tenon.server.locks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which session got which token, for the latest {@value #ENTRIES_MAX} grants of this process: spares the store a
 * question each time a lock is renewed or released. What is not here is asked there. Thread-safe.
 */
final class TokenOwners {
    private static final int ENTRIES_MAX = 100_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<Held, String> sessions = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Held, String> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record Held(String name, long token) {}

    void remember(String name, long token, String sessionId) {
        guard.lock();
        try {
            sessions.put(new Held(name, token), sessionId);
        } finally {
            guard.unlock();
        }
    }

    Optional<String> sessionOf(String name, long token) {
        guard.lock();
        try {
            return Optional.ofNullable(sessions.get(new Held(name, token)));
        } finally {
            guard.unlock();
        }
    }

    void forget(String name, long token) {
        guard.lock();
        try {
            sessions.remove(new Held(name, token));
        } finally {
            guard.unlock();
        }
    }
}
