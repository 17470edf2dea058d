package dev.tenon.client;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The requests that are queued at a server, which tells when it is their turn; of use where there are several.
 * Thread-safe.
 */
final class Waiters {
    private final Map<String, Queued> requests = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    /** @param untilNanos by when the request is repeated */
    private record Queued(String session, long untilNanos) {}

    Waiters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** An acquire was answered. */
    void noted(Acquire request, Outcome outcome) {
        if (outcome instanceof Outcome.Queued queued) {
            long until = nanoTime.getAsLong() + queued.recheckAfter().toNanos();
            requests.put(request.requestId(), new Queued(request.sessionId(), until));
        } else {
            over(request.requestId());
        }
    }

    /** A receiver of events, of whose requests those that are granted wait no more. */
    StoreEvents noting(StoreEvents receiver) {
        return new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                over(grant.requestId());
                receiver.granted(grant);
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                receiver.revokeAsked(revocation);
            }

            @Override
            public void sessionLost(String sessionId) {
                sessionOver(sessionId);
                receiver.sessionLost(sessionId);
            }

            @Override
            public void sessionClosed(String sessionId) {
                sessionOver(sessionId);
                receiver.sessionClosed(sessionId);
            }

            @Override
            public void resync() {
                receiver.resync();
            }
        };
    }

    /** A request waits no more. */
    void over(String requestId) {
        requests.remove(requestId);
    }

    /** None of a session does. */
    void sessionOver(String sessionId) {
        requests.values().removeIf(queued -> queued.session().equals(sessionId));
    }

    /** Whether one waits. */
    boolean any() {
        long now = nanoTime.getAsLong();
        requests.values().removeIf(queued -> now - queued.untilNanos() > 0);
        return !requests.isEmpty();
    }
}
