package dev.tenon.server.metered;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;

/**
 * The receiver of a store's events, with the events counted. Two that pass events on to the same receiver are equal.
 *
 * @param events the receiver
 * @param counters count on its way what it is told
 */
record CountedEvents(StoreEvents events, LockCounters counters) implements StoreEvents {
    @Override
    public void granted(Grant grant) {
        counters.handedOver();
        events.granted(grant);
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        events.revokeAsked(revocation);
    }

    @Override
    public void sessionLost(String sessionId) {
        counters.sessionExpired();
        events.sessionLost(sessionId);
    }

    /** Counted where it was closed. */
    @Override
    public void sessionClosed(String sessionId) {
        events.sessionClosed(sessionId);
    }

    @Override
    public void resync() {
        events.resync();
    }
}
