package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this process at one store: what each may hold and wait for, and who is told of a grant. Stores
 * without sessions of their own need it to give everything back when a session is closed. It errs on the side of too
 * much, since giving back what is not held has no effect; what is certainly over is forgotten by {@link #runOnce}.
 * Thread-safe.
 */
public final class SessionBook {
    private final TimeSource time;
    private final long lateNanos;
    private final Map<String, Party> sessions = new ConcurrentHashMap<>();

    /** By name, then by token: every call on a lock comes here, however many others this process holds. */
    private final Map<String, Map<Long, Hold>> holds = new ConcurrentHashMap<>();

    private final Map<String, Wait> waits = new ConcurrentHashMap<>();

    private record Party(SessionSpec spec, StoreEvents events) {}

    private record Wait(Acquire request, long until) {}

    /**
     * A hold of a session of this process.
     *
     * @param sessionId that holds
     * @param requestId by which it was acquired
     * @param terms in which way; {@link Acquire.Terms#EXCLUSIVE} if its request is not known any more
     * @param node of several stores the one that has it; empty where there is one store
     * @param revokeAsked whether the store has told of a wish that it be released
     * @param until when it ends as far as is known, on this process's monotonic clock ({@link TimeSource#nanoTime})
     */
    public record Hold(
            String sessionId, String requestId, Acquire.Terms terms, String node, boolean revokeAsked, long until) {
        Hold extended(long end, boolean asked) {
            return new Hold(sessionId, requestId, terms, node, revokeAsked || asked, end);
        }
    }

    /**
     * An empty book.
     *
     * @param late how long after its end a hold is remembered: as long as the answer to a renewal may take, which may
     *     have kept it
     */
    public SessionBook(TimeSource time, Duration late) {
        this.time = time;
        this.lateNanos = late.toNanos();
    }

    /** Opens a session; one that is open keeps its specification and gets these events. */
    public SessionSpec open(SessionSpec spec, StoreEvents events) {
        return sessions.merge(spec.id(), new Party(spec, events), (old, now) -> new Party(old.spec(), now.events()))
                .spec();
    }

    /** Whether a session is open. */
    public boolean isOpen(String sessionId) {
        return sessions.containsKey(sessionId);
    }

    /** The specification of an open session. */
    public Optional<SessionSpec> spec(String sessionId) {
        return Optional.ofNullable(sessions.get(sessionId)).map(Party::spec);
    }

    /** The events of an open session. */
    public Optional<StoreEvents> events(String sessionId) {
        return Optional.ofNullable(sessions.get(sessionId)).map(Party::events);
    }

    /** Sessions that are open, and closed ones with something left. */
    public Set<String> all() {
        Set<String> all = new TreeSet<>(sessions.keySet());
        holds.values().forEach(ofName -> ofName.values().forEach(hold -> all.add(hold.sessionId())));
        waits.values().forEach(wait -> all.add(wait.request().sessionId()));
        return all;
    }

    /**
     * Closes a session. What it holds and waits for stays known until {@link #left}, so that a close that failed can be
     * repeated.
     *
     * @return the names of the locks that it may hold or wait for
     */
    public Set<String> close(String sessionId) {
        sessions.remove(sessionId);
        Set<String> names = new TreeSet<>();
        heldBy(sessionId).forEach(lock -> names.add(lock.name()));
        waitsOf(sessionId).forEach(wait -> names.add(wait.name()));
        return names;
    }

    /** A session neither holds this lock nor waits for it any more. */
    public void left(String sessionId, String name) {
        forgetIf(name, (token, hold) -> hold.sessionId().equals(sessionId));
        waits.values()
                .removeIf(wait -> wait.request().name().equals(name)
                        && wait.request().sessionId().equals(sessionId));
    }

    /** A request may be granted later. Say so before it is sent: the grant may arrive before the answer. */
    public void waits(Acquire request) {
        Duration longest =
                request.waitTime().plus(request.lease().orElse(Duration.ZERO)).plus(LockMachine.CLAIM_LEASE);
        waits.put(request.requestId(), new Wait(request, time.nanoTime() + longest.toNanos() + lateNanos));
    }

    /** A request is over. */
    public void waitsNoMore(String requestId) {
        waits.remove(requestId);
    }

    /** The names of the locks that are waited for. */
    public Set<String> awaited() {
        return waits.values().stream().map(wait -> wait.request().name()).collect(Collectors.toSet());
    }

    /** How many requests wait. */
    public int waiting() {
        return waits.size();
    }

    /** What a session waits for. */
    public List<Cancel> waitsOf(String sessionId) {
        return waits.values().stream()
                .map(Wait::request)
                .filter(request -> request.sessionId().equals(sessionId))
                .map(request -> new Cancel(request.name(), request.requestId()))
                .toList();
    }

    /** A request was granted, for {@code lease} from now on. */
    public void holds(Acquire request, long token, Duration lease) {
        holds(request, token, time.nanoTime() + lease.toNanos(), "");
    }

    /**
     * A request was granted. The hold that it converts is over.
     *
     * @param until when it ends, on this process's monotonic clock ({@link TimeSource#nanoTime})
     * @param node of several stores the one that granted it; else empty
     */
    public void holds(Acquire request, long token, long until, String node) {
        request.terms().converts().ifPresent(old -> holdsNoMore(new Release(request.name(), old)));
        Hold hold = new Hold(request.sessionId(), request.requestId(), request.terms(), node, false, until);
        holds.compute(request.name(), (name, known) -> with(known, token, hold));
    }

    /** A lock is held here by a request that is not known any more. */
    public void holds(Release lock, long until, String node) {
        Hold hold = new Hold("", "", Acquire.Terms.EXCLUSIVE, node, false, until);
        holds.compute(lock.name(), (name, known) -> with(known, lock.token(), hold));
    }

    /**
     * A grant was pushed.
     *
     * @return whether it is new
     */
    public boolean holds(Grant grant) {
        @Nullable Wait wait = waits.remove(grant.requestId());
        Acquire.Terms terms =
                wait == null ? Acquire.Terms.EXCLUSIVE : wait.request().terms();
        long until = time.nanoTime() + grant.lease().toNanos();
        Hold hold = new Hold(grant.sessionId(), grant.requestId(), terms, "", false, until);
        Map<Long, Hold> now = holds.compute(
                grant.name(),
                (name, known) ->
                        known != null && known.containsKey(grant.token()) ? known : with(known, grant.token(), hold));
        return now.get(grant.token()) == hold;
    }

    /** A hold was renewed, for as long as the answer says from now on. */
    public void renewed(Release lock, Renewed.Extended extended) {
        renewed(
                lock,
                time.nanoTime() + extended.lease().toNanos(),
                extended.revokedBy().isPresent());
    }

    /**
     * A hold was renewed.
     *
     * @param until when it ends, on this process's monotonic clock ({@link TimeSource#nanoTime})
     * @param revokeAsked whether the store told of a wish that it be released
     */
    public void renewed(Release lock, long until, boolean revokeAsked) {
        holds.computeIfPresent(lock.name(), (any, known) -> {
            @Nullable Hold hold = known.get(lock.token());
            return hold == null ? known : with(known, lock.token(), hold.extended(until, revokeAsked));
        });
    }

    /** A hold is over. */
    public void holdsNoMore(Release lock) {
        forgetIf(lock.name(), (token, hold) -> token == lock.token());
    }

    /** What is known of a hold. */
    public Optional<Hold> hold(Release lock) {
        return Optional.ofNullable(held(lock.name()).get(lock.token()));
    }

    /** The holds of one lock, by token; unmodifiable. */
    public Map<Long, Hold> held(String name) {
        return holds.getOrDefault(name, Map.of());
    }

    /** Whether a session of this process holds the lock of this name. */
    public boolean holds(String name) {
        return holds.containsKey(name);
    }

    /** What a session holds. */
    public List<Release> heldBy(String sessionId) {
        List<Release> held = new ArrayList<>();
        holds.forEach((name, ofName) -> ofName.forEach((token, hold) -> {
            if (hold.sessionId().equals(sessionId)) {
                held.add(new Release(name, token));
            }
        }));
        return held;
    }

    /** Whether any hold is so. */
    public boolean anyHold(BiPredicate<String, Hold> so) {
        return holds.entrySet().stream()
                .anyMatch(entry -> entry.getValue().values().stream().anyMatch(hold -> so.test(entry.getKey(), hold)));
    }

    /** Takes note of a grant, and passes it on to its session, once, if that is one of this process. */
    public void granted(Grant grant) {
        events(grant.sessionId()).filter(events -> holds(grant)).ifPresent(events -> events.granted(grant));
    }

    /** Passes a wish on to its session, if that is one of this process. */
    public void revokeAsked(Revocation revocation) {
        events(revocation.sessionId()).ifPresent(events -> events.revokeAsked(revocation));
    }

    /** Tells a session to ask again for everything that it waits for. */
    public void resync(String sessionId) {
        events(sessionId).ifPresent(StoreEvents::resync);
    }

    /** Tells every session to ask again for everything that it waits for. */
    public void resync() {
        sessions.values().forEach(party -> party.events().resync());
    }

    /** Forgets what is certainly over. */
    public void runOnce() {
        long now = time.nanoTime();
        holds.keySet().forEach(name -> forgetIf(name, (token, hold) -> hold.until() + lateNanos - now < 0));
        waits.values().removeIf(wait -> wait.until() - now < 0);
    }

    /** How many entries there are, for tests of leaks. */
    public int size() {
        return sessions.size() + holds.values().stream().mapToInt(Map::size).sum() + waits.size();
    }

    private void forgetIf(String name, BiPredicate<Long, Hold> over) {
        holds.computeIfPresent(name, (any, known) -> without(known, over));
    }

    /**
     * The holds of a name are replaced and never changed: a reader sees them as they were. Nearly always there is one.
     */
    private static Map<Long, Hold> with(@Nullable Map<Long, Hold> known, long token, Hold hold) {
        if (known == null || known.size() == 1 && known.containsKey(token)) {
            return Map.of(token, hold);
        }
        Map<Long, Hold> next = new HashMap<>(known);
        next.put(token, hold);
        return Map.copyOf(next);
    }

    private static @Nullable Map<Long, Hold> without(Map<Long, Hold> known, BiPredicate<Long, Hold> gone) {
        if (known.entrySet().stream().noneMatch(e -> gone.test(e.getKey(), e.getValue()))) {
            return known;
        }
        Map<Long, Hold> next = new HashMap<>(known);
        next.entrySet().removeIf(e -> gone.test(e.getKey(), e.getValue()));
        return next.isEmpty() ? null : Map.copyOf(next);
    }
}
