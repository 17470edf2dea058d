package dev.tenon.server.metered;

import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.server.observe.Metrics;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Counts what became of locks and sessions. Each event is there from the start, as 0. Thread-safe. */
final class LockCounters {
    private final Metrics metrics;

    /** What can become of a lock; in lower case, the label {@code event}. */
    private enum LockEvent {
        GRANTED,
        HANDED_OVER,
        BUSY,
        GAVE_UP,
        RELEASED,
        LOST,
        EVICTED,
        REVOKE_ASKED
    }

    /** What can become of a session; in lower case, the label {@code event}. */
    private enum SessionEvent {
        OPENED,
        CLOSED,
        EXPIRED
    }

    LockCounters(Metrics metrics) {
        this.metrics = metrics;
        for (LockEvent event : LockEvent.values()) {
            count(event, 0);
        }
        for (SessionEvent event : SessionEvent.values()) {
            count(event, 0);
        }
    }

    void acquired(Outcome outcome) {
        if (outcome instanceof Outcome.Granted) {
            count(LockEvent.GRANTED, 1);
        } else if (outcome instanceof Outcome.Busy) {
            count(LockEvent.BUSY, 1);
        }
    }

    void handedOver() {
        count(LockEvent.HANDED_OVER, 1);
    }

    void released(List<Released> answers) {
        answers.forEach(answer -> count(answer == Released.NOT_HELD ? LockEvent.LOST : LockEvent.RELEASED, 1));
    }

    void renewed(List<Renewed> answers) {
        answers.stream().filter(Renewed.NotHeld.class::isInstance).forEach(lost -> count(LockEvent.LOST, 1));
    }

    void cancelled(Cancelled answer) {
        if (answer instanceof Cancelled.Gone) {
            count(LockEvent.GAVE_UP, 1);
        }
    }

    void evicted(Optional<Long> floor) {
        floor.ifPresent(token -> count(LockEvent.EVICTED, 1));
    }

    void revokeAsked(int holders) {
        count(LockEvent.REVOKE_ASKED, holders);
    }

    void sessionOpened() {
        count(SessionEvent.OPENED, 1);
    }

    void sessionClosed() {
        count(SessionEvent.CLOSED, 1);
    }

    void sessionExpired() {
        count(SessionEvent.EXPIRED, 1);
    }

    private void count(LockEvent event, long times) {
        metrics.count("tenon.lock.events", "What became of locks", label(event), times);
    }

    private void count(SessionEvent event, long times) {
        metrics.count("tenon.session.events", "What became of sessions", label(event), times);
    }

    private static String label(Enum<?> event) {
        return event.name().toLowerCase(Locale.ROOT);
    }
}
