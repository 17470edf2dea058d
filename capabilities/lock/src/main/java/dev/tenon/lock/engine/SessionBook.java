package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this process, what they hold and what they wait for. The store knows processes only: this is to give
 * everything back when a session is closed, and to pass grants on. Thread-safe.
 */
final class SessionBook {
    private final TimeSource time;
    private final Map<String, Receiver> sessions = new ConcurrentHashMap<>();
    /** By name, then by token: every call on a lock comes here, however many others this process holds. */
    private final Map<String, Map<Long, Hold>> holds = new ConcurrentHashMap<>();

    private final Map<String, Wait> waits = new ConcurrentHashMap<>();

    private record Receiver(SessionSpec spec, StoreEvents events) {}

    /** @param deadlineNanos when it is certainly over, so that it may be forgotten */
    private record Hold(String sessionId, long deadlineNanos) {}

    private record Wait(String name, String sessionId, long deadlineNanos) {}

    SessionBook(TimeSource time) {
        this.time = time;
    }

    SessionSpec open(SessionSpec spec, StoreEvents events) {
        Receiver receiver = sessions.merge(
                spec.id(), new Receiver(spec, events), (old, now) -> new Receiver(old.spec(), now.events()));
        return receiver.spec();
    }

    boolean isOpen(String sessionId) {
        return sessions.containsKey(sessionId);
    }

    /** Those that are open, and those that have something left although they were closed. */
    Set<String> all() {
        Set<String> all = new TreeSet<>(sessions.keySet());
        holds.values().forEach(ofName -> ofName.values().forEach(hold -> all.add(hold.sessionId())));
        waits.values().forEach(wait -> all.add(wait.sessionId()));
        return all;
    }

    /**
     * Closes a session; the names of the locks that it may have something to do with. Each is known until {@link #left}, so that a
     * close that failed can be repeated.
     */
    Set<String> close(String sessionId) {
        sessions.remove(sessionId);
        Set<String> names = new TreeSet<>();
        holds.forEach((name, ofName) -> {
            if (ofName.values().stream().anyMatch(hold -> hold.sessionId().equals(sessionId))) {
                names.add(name);
            }
        });
        waits.values().stream()
                .filter(wait -> wait.sessionId().equals(sessionId))
                .map(Wait::name)
                .forEach(names::add);
        return names;
    }

    /** A session has nothing to do with this lock any more. */
    void left(String sessionId, String name) {
        forgetIf(name, hold -> hold.sessionId().equals(sessionId));
        waits.values()
                .removeIf(wait -> wait.name().equals(name) && wait.sessionId().equals(sessionId));
    }

    /** To be said before the request is sent: its grant may be heard before its answer. */
    void waits(Acquire request) {
        waits.put(request.requestId(), new Wait(request.name(), request.sessionId(), deadline(request.waitTime())));
    }

    void waitsNoMore(String requestId) {
        waits.remove(requestId);
    }

    /** The names of the locks that somebody here waits for. */
    Set<String> awaited() {
        return waits.values().stream().map(Wait::name).collect(Collectors.toSet());
    }

    boolean holds(String name) {
        return holds.containsKey(name);
    }

    void holds(Acquire request, Outcome.Granted granted) {
        request.terms().converts().ifPresent(old -> holdsNoMore(request.name(), old));
        Hold hold = new Hold(request.sessionId(), deadline(granted.lease()));
        holds.compute(request.name(), (name, known) -> with(known, granted.token(), hold));
    }

    void renewed(String name, long token, Duration lease) {
        holds.computeIfPresent(name, (any, known) -> {
            @Nullable Hold hold = known.get(token);
            return hold == null ? known : with(known, token, new Hold(hold.sessionId(), deadline(lease)));
        });
    }

    void holdsNoMore(String name, long token) {
        holds.computeIfPresent(name, (any, known) -> without(known, (t, hold) -> t == token));
    }

    /** Passes a grant on to its session, if it is one of this process. */
    void granted(Grant grant) {
        String sessionId = SessionAddress.parse(grant.sessionId()).sessionId();
        @Nullable Receiver receiver = sessions.get(sessionId);
        if (receiver == null) {
            return;
        }
        waits.remove(grant.requestId());
        Hold hold = new Hold(sessionId, deadline(grant.lease()));
        Map<Long, Hold> now = holds.compute(
                grant.name(),
                (name, known) ->
                        known != null && known.containsKey(grant.token()) ? known : with(known, grant.token(), hold));
        if (now.get(grant.token()) != hold) {
            return; // told already
        }
        receiver.events()
                .granted(new Grant(
                        grant.name(), grant.requestId(), sessionId, grant.token(), grant.sinceQueued(), grant.lease()));
    }

    /** Passes a wish on to its session, if it is one of this process. */
    void revokeAsked(Revocation revocation) {
        String sessionId = SessionAddress.parse(revocation.sessionId()).sessionId();
        @Nullable Receiver receiver = sessions.get(sessionId);
        if (receiver != null) {
            receiver.events()
                    .revokeAsked(new Revocation(revocation.name(), sessionId, revocation.token(), revocation.by()));
        }
    }

    /** Tells every session to ask again for what it waits for. */
    void resync() {
        sessions.values().forEach(receiver -> receiver.events().resync());
    }

    /** Forgets what is over without anybody having said so. */
    void runOnce() {
        long now = time.nanoTime();
        holds.keySet().forEach(name -> forgetIf(name, hold -> hold.deadlineNanos() - now < 0));
        waits.values().removeIf(wait -> wait.deadlineNanos() - now < 0);
    }

    /** How many entries are kept, for tests of leaks. */
    int size() {
        return sessions.size() + holds.values().stream().mapToInt(Map::size).sum() + waits.size();
    }

    private void forgetIf(String name, Predicate<Hold> over) {
        holds.computeIfPresent(name, (any, known) -> without(known, (token, hold) -> over.test(hold)));
    }

    /** The holds of a name are never changed, but replaced: who looks at them meanwhile sees them as they were. */
    private static Map<Long, Hold> with(@Nullable Map<Long, Hold> known, long token, Hold hold) {
        Map<Long, Hold> next = known == null ? new HashMap<>() : new HashMap<>(known);
        next.put(token, hold);
        return next;
    }

    private static @Nullable Map<Long, Hold> without(Map<Long, Hold> known, BiPredicate<Long, Hold> gone) {
        Map<Long, Hold> next = new HashMap<>(known);
        next.entrySet().removeIf(e -> gone.test(e.getKey(), e.getValue()));
        return next.isEmpty() ? null : next;
    }

    private long deadline(Duration fromNow) {
        return time.nanoTime() + fromNow.plus(LockMachine.CLAIM_LEASE).toNanos();
    }
}
