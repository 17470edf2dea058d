package dev.tenon.client;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which session got which token, for the latest {@value #ENTRIES_MAX} grants: a release and a renewal say it, so that
 * the server lets nobody else's through. Thread-safe.
 */
final class HoldSessions {
    private static final int ENTRIES_MAX = 100_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<Hold, String> sessions = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Hold, String> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record Hold(String name, long token) {}

    /** The outcome of an acquire, noted. */
    Outcome noted(Acquire request, Outcome outcome) {
        if (outcome instanceof Outcome.Granted granted) {
            note(request.name(), granted.token(), request.sessionId());
        }
        return outcome;
    }

    /** A receiver of events whose grants are noted. */
    StoreEvents noting(StoreEvents receiver) {
        return new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                note(grant.name(), grant.token(), grant.sessionId());
                receiver.granted(grant);
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                receiver.revokeAsked(revocation);
            }

            @Override
            public void sessionLost(String sessionId) {
                receiver.sessionLost(sessionId);
            }

            @Override
            public void sessionClosed(String sessionId) {
                receiver.sessionClosed(sessionId);
            }

            @Override
            public void resync() {
                receiver.resync();
            }
        };
    }

    private void note(String name, long token, String sessionId) {
        guard.lock();
        try {
            sessions.put(new Hold(name, token), sessionId);
        } finally {
            guard.unlock();
        }
    }

    /** The session that holds a lock under a token; empty: that is not known here. */
    Optional<String> of(String name, long token) {
        guard.lock();
        try {
            return Optional.ofNullable(sessions.get(new Hold(name, token)));
        } finally {
            guard.unlock();
        }
    }

    /** A lock was given back. */
    void forget(String name, long token) {
        guard.lock();
        try {
            sessions.remove(new Hold(name, token));
        } finally {
            guard.unlock();
        }
    }
}
