package dev.tenon.lock.spi;

import dev.tenon.Names;
import dev.tenon.lock.spi.LockMachine.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * All locks and sessions of one store, for stores that keep them in memory: a map of {@link LockMachine} states,
 * sessions that end when nothing is heard of them, and an index of deadlines. Deterministic: the same calls with the
 * same times and seeds lead to the same table, on every replica. Not thread-safe; no clock, no I/O.
 *
 * <p>Time is what the caller says, and never goes back: an earlier time counts as the latest one seen. A token is
 * greater than every token of the whole table, so that a name that was forgotten when it became idle needs no memory of
 * its own.
 */
public final class LockTable {
    private final TreeMap<String, LockState> locks = new TreeMap<>(Names.ORDER);
    private final Map<String, SessionPresence> sessions = new HashMap<>();
    private final TreeSet<Deadline> deadlines = new TreeSet<>();
    private Instant now;
    private long token;
    private long bytes;

    /** An empty table. */
    public LockTable() {
        this.now = Instant.EPOCH;
    }

    /** The table that {@link #snapshot} was taken of. */
    public LockTable(Snapshot snapshot) {
        this.now = snapshot.now();
        this.token = snapshot.token();
        for (SessionEntry entry : snapshot.sessions()) {
            SessionPresence presence = new SessionPresence(entry.spec(), entry.deadline());
            presence.bound.putAll(entry.bound());
            begin(presence);
        }
        for (LockState state : snapshot.locks()) {
            put(LockState.free(state.name(), 0), state);
        }
    }

    /**
     * The result of one call.
     *
     * @param answer to the request
     * @param grants to be told to their sessions
     * @param ended the sessions that are over, to be told so
     * @param revocations to be told to their sessions
     */
    public record Applied<T>(T answer, List<Grant> grants, List<SessionEnd> ended, List<Revocation> revocations) {
        /** The same with another answer. */
        public <U> Applied<U> answering(U other) {
            return new Applied<>(other, grants, ended, revocations);
        }
    }

    /**
     * The whole table, as a value.
     *
     * @param now latest time seen
     * @param token greatest token granted
     * @param sessions in ascending order of IDs
     * @param locks in ascending order of names
     */
    public record Snapshot(Instant now, long token, List<SessionEntry> sessions, List<LockState> locks) {}

    /**
     * A session in a snapshot.
     *
     * @param spec as opened
     * @param deadline when it ends unless it is kept alive
     * @param bound locks that live as long as the session: name by token
     */
    public record SessionEntry(SessionSpec spec, Instant deadline, Map<Long, String> bound) {}

    /** Opens a session; one that is open stays as it is, but for its deadline. */
    public Applied<Session> openSession(SessionSpec spec, Instant at) {
        Work work = begin(at, 0);
        SessionPresence presence = sessions.get(spec.id());
        if (presence == null) {
            presence = new SessionPresence(spec, now.plus(spec.ttl()));
            begin(presence);
        } else {
            extend(presence, Duration.ZERO, work);
        }
        return work.done(new Session(presence.spec.id(), presence.spec.ttl()));
    }

    /** Keeps a session, and the locks that are bound to it, for another TTL. */
    public Applied<Boolean> keepAlive(String sessionId, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        SessionPresence presence = sessions.get(sessionId);
        if (presence != null) {
            extend(presence, Duration.ZERO, work);
        }
        return work.done(presence != null);
    }

    /**
     * Keeps every session, and the locks that are bound to it, for a time and another TTL: nobody could keep them alive
     * while the store was away. Leases of their own, and waits, end as they would.
     *
     * @param away how long from {@code at} until they can be kept alive again, not negative
     */
    public Applied<Integer> keepAllAlive(Duration away, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        new TreeMap<>(sessions).values().forEach(presence -> extend(presence, away, work));
        return work.done(sessions.size());
    }

    /** Ends a session. The answer: whether there was one. */
    public Applied<Boolean> closeSession(String sessionId, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        return work.done(end(sessionId, false, work));
    }

    /** Whether a session is open. */
    public boolean hasSession(String sessionId) {
        return sessions.containsKey(sessionId);
    }

    /** Whether a request has the lock already, or waits for it, or changes a grant that it has. */
    public boolean knows(Acquire request) {
        return request.terms().converts().isPresent() || state(request.name()).knows(request.requestId());
    }

    /** {@link LockMachine#acquire}, for an open session. */
    public Applied<Outcome> acquire(Acquire request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        SessionPresence presence = sessions.get(request.sessionId());
        if (presence == null) {
            return work.done(new Outcome.NoSession());
        }
        Duration lease = request.lease().orElseGet(() -> presence.left(now));
        Outcome outcome = work.apply(request.name(), s -> LockMachine.acquire(s, request, lease, now, seed(work)));
        if (outcome instanceof Outcome.Granted granted && request.lease().isEmpty()) {
            presence.bound.put(granted.token(), request.name());
        }
        return work.done(outcome);
    }

    /** {@link MultiLockStore#acquireAll}. */
    public Applied<List<Outcome>> acquireAll(List<Acquire> requests, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        for (Acquire request : requests) {
            Outcome trial = sessions.containsKey(request.sessionId())
                    ? LockMachine.acquire(
                                    state(request.name()),
                                    request.withWait(Duration.ZERO),
                                    Duration.ofSeconds(1),
                                    now,
                                    0)
                            .answer()
                    : new Outcome.NoSession();
            if (!(trial instanceof Outcome.Granted)) {
                return work.done(List.of(trial));
            }
        }
        List<Outcome> outcomes = new ArrayList<>();
        for (Acquire request : requests) {
            Applied<Outcome> granted = acquire(request.withWait(Duration.ZERO), at, tokenSeed);
            outcomes.add(granted.answer());
            work.grants.addAll(granted.grants());
        }
        return work.done(outcomes);
    }

    /** {@link LockMachine#release}. */
    public Applied<Released> release(Release request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        return work.done(work.apply(request.name(), s -> LockMachine.release(s, request.token(), now, seed(work))));
    }

    /** {@link LockMachine#renew}. */
    public Applied<Renewed> renew(Renew request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        SessionPresence presence = state(request.name())
                .holderUnder(request.token())
                .map(holder -> sessions.get(holder.sessionId()))
                .orElse(null);
        if (presence == null) {
            return work.done(new Renewed.NotHeld());
        }
        Duration lease = request.lease().orElseGet(() -> presence.left(now));
        Renewed answer = work.apply(request.name(), s -> LockMachine.renew(s, request.token(), lease, now, seed(work)));
        if (answer instanceof Renewed.Extended && request.lease().isEmpty()) {
            presence.bound.put(request.token(), request.name());
        } else {
            presence.bound.remove(request.token());
        }
        return work.done(answer);
    }

    /** {@link LockMachine#cancel}. */
    public Applied<Cancelled> cancel(Cancel request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        return work.done(work.apply(request.name(), s -> LockMachine.cancel(s, request.requestId(), now, seed(work))));
    }

    /** {@link LockMachine#evict}. */
    public Applied<Optional<Long>> evict(String name, long expectedToken, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        Optional<Long> floor = work.apply(name, s -> LockMachine.evict(s, expectedToken, now, seed(work)));
        floor.ifPresent(f -> token = Math.max(token, f));
        return work.done(floor);
    }

    /** {@link LockMachine#revoke}. The answer: how many hold the lock. */
    public Applied<Integer> revoke(String name, String by, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        List<Revocation> asked = work.apply(name, s -> LockMachine.revoke(s, by, now, seed(work)));
        return new Applied<>(asked.size(), work.grants, work.ended, asked);
    }

    /** Lets time pass: leases, waits and sessions that are over end now. */
    public Applied<Boolean> advance(Instant at, long tokenSeed) {
        return begin(at, tokenSeed).done(true);
    }

    /** The next moment at which {@link #advance} has something to do. */
    public Optional<Instant> nextDeadline() {
        return deadlines.isEmpty()
                ? Optional.empty()
                : Optional.of(deadlines.first().at());
    }

    /** One lock, as it stands at the latest time seen. */
    public Optional<LockView> inspect(String name) {
        return Optional.ofNullable(locks.get(name)).map(s -> s.view(now));
    }

    /** {@link LockStore#list}, as of the latest time seen. */
    public LockPage list(String prefix, String after, int limit) {
        List<LockView> page = new ArrayList<>();
        boolean fromPrefix = Names.ORDER.compare(prefix, after) > 0;
        for (LockState state :
                locks.tailMap(fromPrefix ? prefix : after, fromPrefix).values()) {
            if (!state.name().startsWith(prefix)) {
                break;
            }
            if (page.size() == limit) {
                return new LockPage(page, Optional.of(page.get(limit - 1).name()));
            }
            page.add(state.view(now));
        }
        return new LockPage(page, Optional.empty());
    }

    /** How much there is. Counts it, in time that grows with the number of locks. */
    public TableLoad load() {
        return TableLoad.of(locks.values(), sessions.size());
    }

    /** Of how many locks something is known: who holds them, who waits for them, or a lock-delay. */
    public int size() {
        return locks.size();
    }

    /** How many sessions are open. */
    public int sessions() {
        return sessions.size();
    }

    /** How much memory all of it takes, roughly, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** The whole table, as a value. */
    public Snapshot snapshot() {
        List<SessionEntry> entries = sessions.values().stream()
                .sorted((a, b) -> Names.ORDER.compare(a.spec.id(), b.spec.id()))
                .map(p -> new SessionEntry(p.spec, p.deadline, Map.copyOf(p.bound)))
                .toList();
        return new Snapshot(now, token, entries, List.copyOf(locks.values()));
    }

    private LockState state(String name) {
        LockState known = locks.get(name);
        return known == null ? LockState.free(name, 0) : known;
    }

    private Work begin(Instant at, long tokenSeed) {
        if (at.isAfter(now)) {
            now = at;
        }
        Work work = new Work(tokenSeed);
        while (!deadlines.isEmpty() && !deadlines.first().at().isAfter(now)) {
            Deadline due = deadlines.first();
            if (due.ofSession()) {
                end(due.id(), true, work);
            } else {
                work.apply(due.id(), s -> LockMachine.settle(s, now, seed(work)));
            }
        }
        return work;
    }

    private long seed(Work work) {
        return LockMachine.nextToken(token, work.tokenSeed);
    }

    private void begin(SessionPresence presence) {
        sessions.put(presence.spec.id(), presence);
        deadlines.add(presence.asDeadline());
        bytes += Footprint.of(presence.spec);
    }

    private boolean end(String sessionId, boolean expired, Work work) {
        SessionPresence presence = sessions.remove(sessionId);
        if (presence == null) {
            return false;
        }
        deadlines.remove(presence.asDeadline());
        bytes -= Footprint.of(presence.spec);
        work.ended.add(new SessionEnd(sessionId, !expired));
        for (String name : List.copyOf(presence.names)) {
            work.apply(name, s -> LockMachine.leave(s, sessionId, expired, now, seed(work)));
        }
        return true;
    }

    private void extend(SessionPresence presence, Duration away, Work work) {
        Duration life = away.plus(presence.spec.ttl());
        deadlines.remove(presence.asDeadline());
        presence.deadline = now.plus(life);
        deadlines.add(presence.asDeadline());
        new TreeMap<>(presence.bound).forEach((held, name) -> {
            Renewed renewed = work.apply(name, s -> LockMachine.renew(s, held, life, now, seed(work)));
            if (renewed instanceof Renewed.NotHeld) {
                presence.bound.remove(held);
            }
        });
    }

    private void put(LockState before, LockState after) {
        before.deadline().ifPresent(at -> deadlines.remove(new Deadline(at, false, before.name())));
        after.deadline().ifPresent(at -> deadlines.add(new Deadline(at, false, after.name())));
        bytes += Footprint.of(after) - Footprint.of(before);
        if (after.isIdle()) {
            locks.remove(after.name());
        } else {
            locks.put(after.name(), after);
        }
        token = Math.max(token, after.token());
        Set<String> left = before.sessions();
        for (String id : after.sessions()) {
            left.remove(id);
            SessionPresence presence = sessions.get(id);
            if (presence != null) {
                presence.names.add(after.name());
            }
        }
        for (String id : left) {
            SessionPresence presence = sessions.get(id);
            if (presence != null) {
                presence.names.remove(after.name());
                presence.bound.values().removeIf(after.name()::equals);
            }
        }
    }

    /** One call in progress: collects what is to be told. */
    private final class Work {
        private final long tokenSeed;
        private final List<Grant> grants = new ArrayList<>();
        private final List<SessionEnd> ended = new ArrayList<>();

        Work(long tokenSeed) {
            this.tokenSeed = tokenSeed;
        }

        <T> T apply(String name, Function<LockState, Step<T>> function) {
            LockState before = state(name);
            Step<T> step = function.apply(before);
            if (step.state() != before) {
                put(before, step.state());
            }
            grants.addAll(step.grants());
            return step.answer();
        }

        <T> Applied<T> done(T answer) {
            return new Applied<>(answer, grants, ended, List.of());
        }
    }
}
