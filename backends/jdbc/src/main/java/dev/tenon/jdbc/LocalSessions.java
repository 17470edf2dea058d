package dev.tenon.jdbc;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this process, what they hold and what they wait for. The database keeps no sessions: this is only to
 * give everything back when one is closed, and to pass grants on. Thread-safe.
 */
final class LocalSessions {
    private final TimeSource time;
    private final Map<String, Presence> sessions = new ConcurrentHashMap<>();
    private final Map<Held, Hold> holds = new ConcurrentHashMap<>();
    private final Map<String, Wait> waits = new ConcurrentHashMap<>();

    private record Presence(SessionSpec spec, StoreEvents events) {}

    private record Held(String name, long token) {}

    /**
     * @param plain whether the row is likely to be one that single statements may change
     * @param deadlineNanos when it is certainly over, so that it may be forgotten
     */
    private record Hold(String sessionId, boolean plain, long deadlineNanos) {}

    private record Wait(String name, String sessionId, boolean plain, long deadlineNanos) {}

    LocalSessions(TimeSource time) {
        this.time = time;
    }

    SessionSpec open(SessionSpec spec, StoreEvents events) {
        Presence presence = sessions.merge(
                spec.id(), new Presence(spec, events), (old, now) -> new Presence(old.spec(), now.events()));
        return presence.spec();
    }

    boolean isOpen(String sessionId) {
        return sessions.containsKey(sessionId);
    }

    List<String> all() {
        return List.copyOf(sessions.keySet());
    }

    /** Forgets a session; the names of the locks that it may have something to do with. */
    Set<String> close(String sessionId) {
        sessions.remove(sessionId);
        Set<String> names = new TreeSet<>();
        holds.forEach((held, hold) -> {
            if (hold.sessionId().equals(sessionId) && holds.remove(held, hold)) {
                names.add(held.name());
            }
        });
        waits.forEach((request, wait) -> {
            if (wait.sessionId().equals(sessionId) && waits.remove(request, wait)) {
                names.add(wait.name());
            }
        });
        return names;
    }

    /** To be said before the request is sent: its grant may be heard before its answer. */
    void waits(Acquire request) {
        waits.put(
                request.requestId(),
                new Wait(
                        request.name(),
                        request.sessionId(),
                        LockText.isPlain(request.terms()),
                        deadline(request.waitTime())));
    }

    void waitsNoMore(String requestId) {
        waits.remove(requestId);
    }

    void holds(Acquire request, Outcome.Granted granted) {
        request.terms().converts().ifPresent(old -> holdsNoMore(request.name(), old));
        boolean plain = LockText.isPlain(request.terms());
        holds.put(
                new Held(request.name(), granted.token()),
                new Hold(request.sessionId(), plain, deadline(granted.lease())));
    }

    /** Whether a hold is likely to be one that a single statement may renew; the statement itself makes sure. */
    boolean isPlain(Renew renewal) {
        Hold hold = holds.get(new Held(renewal.name(), renewal.token()));
        return hold == null || hold.plain();
    }

    void renewed(Renew renewal, Renewed.Extended extended) {
        holds.computeIfPresent(
                new Held(renewal.name(), renewal.token()),
                (held, hold) -> new Hold(
                        hold.sessionId(), hold.plain() && extended.revokedBy().isEmpty(), deadline(extended.lease())));
    }

    void holdsNoMore(String name, long token) {
        holds.remove(new Held(name, token));
    }

    /** Passes a grant on to its session, if it is one of this process. */
    void granted(Grant grant) {
        String sessionId = Address.parse(grant.sessionId()).sessionId();
        @Nullable Presence presence = sessions.get(sessionId);
        if (presence == null) {
            return;
        }
        Wait wait = waits.remove(grant.requestId());
        Hold hold = new Hold(sessionId, wait == null || wait.plain(), deadline(grant.lease()));
        if (holds.putIfAbsent(new Held(grant.name(), grant.token()), hold) != null) {
            return; // told already
        }
        presence.events()
                .granted(new Grant(
                        grant.name(), grant.requestId(), sessionId, grant.token(), grant.sinceQueued(), grant.lease()));
    }

    /** Passes a wish on to its session, if it is one of this process. */
    void revokeAsked(Revocation revocation) {
        String sessionId = Address.parse(revocation.sessionId()).sessionId();
        @Nullable Presence presence = sessions.get(sessionId);
        if (presence != null) {
            presence.events()
                    .revokeAsked(new Revocation(revocation.name(), sessionId, revocation.token(), revocation.by()));
        }
    }

    /** Tells every session to ask again for what it waits for. */
    void resync() {
        sessions.values().forEach(presence -> presence.events().resync());
    }

    /** Forgets what is over without anybody having said so. */
    void runOnce() {
        long now = time.nanoTime();
        holds.values().removeIf(hold -> hold.deadlineNanos() - now < 0);
        waits.values().removeIf(wait -> wait.deadlineNanos() - now < 0);
    }

    /** How many requests wait. */
    int waiting() {
        return waits.size();
    }

    /** How many entries are kept, for tests of leaks. */
    int size() {
        return sessions.size() + holds.size() + waits.size();
    }

    private long deadline(Duration fromNow) {
        return time.nanoTime() + fromNow.plus(LockMachine.CLAIM_LEASE).toNanos();
    }
}
