package dev.tenon.lock.spi;

import dev.tenon.Names;
import dev.tenon.lock.spi.LockMachine.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All locks and sessions of one store, for stores that keep them in memory: a map of {@link LockMachine} states, sessions
 * that end when nothing is heard of them, and an index of deadlines. Deterministic: the same calls with the same times
 * and seeds lead to the same table, on every replica. Not thread-safe; no clock, no I/O.
 *
 * <p>Time is what the caller says, and never goes back: an earlier time counts as the latest one seen. A token is greater
 * than every token of the whole table, so that a name that was forgotten when it became idle needs no memory of its own.
 */
public final class LockTable {
    private final TreeMap<String, LockState> locks = new TreeMap<>(Names.ORDER);
    private final Map<String, Presence> sessions = new HashMap<>();
    private final TreeSet<Deadline> deadlines = new TreeSet<>();
    private Instant now;
    private long token;

    /** An empty table. */
    public LockTable() {
        this.now = Instant.EPOCH;
    }

    /** The table that {@link #snapshot} was taken of. */
    public LockTable(Snapshot snapshot) {
        this.now = snapshot.now();
        this.token = snapshot.token();
        for (SessionEntry entry : snapshot.sessions()) {
            Presence presence = new Presence(entry.spec(), entry.deadline());
            presence.bound.putAll(entry.bound());
            sessions.put(entry.spec().id(), presence);
            deadlines.add(presence.asDeadline());
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
     * @param endedSessions IDs of the sessions that time has ended
     */
    public record Applied<T>(T answer, List<Grant> grants, List<String> endedSessions) {}

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
     * @param bound locks that live as long as the session: name and token
     */
    public record SessionEntry(SessionSpec spec, Instant deadline, Map<String, Long> bound) {}

    /** Opens a session; one that is open stays as it is, but for its deadline. */
    public Applied<Session> openSession(SessionSpec spec, Instant at) {
        Work work = begin(at, 0);
        Presence presence = sessions.get(spec.id());
        if (presence == null) {
            presence = new Presence(spec, now.plus(spec.ttl()));
            sessions.put(spec.id(), presence);
            deadlines.add(presence.asDeadline());
        } else {
            extend(presence, work);
        }
        return work.done(new Session(presence.spec.id(), presence.spec.ttl()));
    }

    /** Keeps a session, and the locks that are bound to it, for another TTL. */
    public Applied<Boolean> keepAlive(String sessionId, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        Presence presence = sessions.get(sessionId);
        if (presence != null) {
            extend(presence, work);
        }
        return work.done(presence != null);
    }

    /** Ends a session. The answer: whether there was one. */
    public Applied<Boolean> closeSession(String sessionId, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        return work.done(end(sessionId, work));
    }

    /** Whether a session is open. */
    public boolean hasSession(String sessionId) {
        return sessions.containsKey(sessionId);
    }

    /** {@link LockMachine#acquire}, for an open session. */
    public Applied<Outcome> acquire(Acquire request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        Presence presence = sessions.get(request.sessionId());
        if (presence == null) {
            return work.done(new Outcome.NoSession());
        }
        Duration lease = request.lease().orElseGet(() -> presence.left(now));
        Outcome outcome = work.apply(request.name(), s -> LockMachine.acquire(s, request, lease, now, seed(work)));
        if (outcome instanceof Outcome.Granted granted && request.lease().isEmpty()) {
            presence.bound.put(request.name(), granted.token());
        }
        return work.done(outcome);
    }

    /** {@link LockMachine#release}. */
    public Applied<Released> release(Release request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        return work.done(work.apply(request.name(), s -> LockMachine.release(s, request.token(), now, seed(work))));
    }

    /** {@link LockMachine#renew}. */
    public Applied<Renewed> renew(Renew request, Instant at, long tokenSeed) {
        Work work = begin(at, tokenSeed);
        LockState state = locks.get(request.name());
        Presence presence = state == null || !state.isHeldUnder(request.token())
                ? null
                : sessions.get(state.holder().orElseThrow().sessionId());
        if (presence == null) {
            return work.done(new Renewed.NotHeld());
        }
        Duration lease = request.lease().orElseGet(() -> presence.left(now));
        Renewed answer = work.apply(request.name(), s -> LockMachine.renew(s, request.token(), lease, now, seed(work)));
        if (answer instanceof Renewed.Extended && request.lease().isEmpty()) {
            presence.bound.put(request.name(), request.token());
        } else {
            presence.bound.remove(request.name());
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

    /** The whole table, as a value. */
    public Snapshot snapshot() {
        List<SessionEntry> entries = sessions.values().stream()
                .sorted((a, b) -> Names.ORDER.compare(a.spec.id(), b.spec.id()))
                .map(p -> new SessionEntry(p.spec, p.deadline, Map.copyOf(p.bound)))
                .toList();
        return new Snapshot(now, token, entries, List.copyOf(locks.values()));
    }

    private Work begin(Instant at, long tokenSeed) {
        if (at.isAfter(now)) {
            now = at;
        }
        Work work = new Work(tokenSeed);
        while (!deadlines.isEmpty() && !deadlines.first().at().isAfter(now)) {
            Deadline due = deadlines.first();
            if (due.ofSession()) {
                end(due.id(), work);
                work.endedSessions.add(due.id());
            } else {
                work.apply(due.id(), s -> LockMachine.settle(s, now, seed(work)));
            }
        }
        return work;
    }

    private long seed(Work work) {
        return Math.max(token + 1, work.tokenSeed);
    }

    private boolean end(String sessionId, Work work) {
        Presence presence = sessions.remove(sessionId);
        if (presence == null) {
            return false;
        }
        deadlines.remove(presence.asDeadline());
        for (String name : List.copyOf(presence.names)) {
            work.apply(name, s -> LockMachine.leave(s, sessionId, now, seed(work)));
        }
        return true;
    }

    private void extend(Presence presence, Work work) {
        deadlines.remove(presence.asDeadline());
        presence.deadline = now.plus(presence.spec.ttl());
        deadlines.add(presence.asDeadline());
        new TreeMap<>(presence.bound).forEach((name, held) -> {
            Renewed renewed = work.apply(name, s -> LockMachine.renew(s, held, presence.spec.ttl(), now, seed(work)));
            if (renewed instanceof Renewed.NotHeld) {
                presence.bound.remove(name);
            }
        });
    }

    private void put(LockState before, LockState after) {
        before.deadline().ifPresent(at -> deadlines.remove(new Deadline(at, false, before.name())));
        after.deadline().ifPresent(at -> deadlines.add(new Deadline(at, false, after.name())));
        if (after.isIdle()) {
            locks.remove(after.name());
        } else {
            locks.put(after.name(), after);
        }
        token = Math.max(token, after.token());
        Set<String> left = sessionsIn(before);
        for (String id : sessionsIn(after)) {
            left.remove(id);
            Presence presence = sessions.get(id);
            if (presence != null) {
                presence.names.add(after.name());
            }
        }
        for (String id : left) {
            Presence presence = sessions.get(id);
            if (presence != null) {
                presence.names.remove(after.name());
                presence.bound.remove(after.name());
            }
        }
    }

    private static Set<String> sessionsIn(LockState state) {
        Set<String> ids = new HashSet<>();
        state.holder().ifPresent(h -> ids.add(h.sessionId()));
        state.queue().forEach(w -> ids.add(w.sessionId()));
        return ids;
    }

    /** One call in progress: collects what is to be told. */
    private final class Work {
        private final long tokenSeed;
        private final List<Grant> grants = new ArrayList<>();
        private final List<String> endedSessions = new ArrayList<>();

        Work(long tokenSeed) {
            this.tokenSeed = tokenSeed;
        }

        <T> T apply(String name, Function<LockState, Step<T>> function) {
            @Nullable LockState known = locks.get(name);
            LockState before = known == null ? LockState.free(name, 0) : known;
            Step<T> step = function.apply(before);
            if (step.state() != before) {
                put(before, step.state());
            }
            grants.addAll(step.grants());
            return step.answer();
        }

        <T> Applied<T> done(T answer) {
            return new Applied<>(answer, grants, endedSessions);
        }
    }

    /** A session and the names that it holds or waits for, sorted: the order in which it leaves them must not vary. */
    private static final class Presence {
        private final SessionSpec spec;
        private final TreeSet<String> names = new TreeSet<>(Names.ORDER);
        private final TreeMap<String, Long> bound = new TreeMap<>(Names.ORDER);
        private Instant deadline;

        Presence(SessionSpec spec, Instant deadline) {
            this.spec = spec;
            this.deadline = deadline;
        }

        Duration left(Instant now) {
            return Duration.between(now, deadline);
        }

        Deadline asDeadline() {
            return new Deadline(deadline, true, spec.id());
        }
    }

    private record Deadline(Instant at, boolean ofSession, String id) implements Comparable<Deadline> {
        @Override
        public int compareTo(Deadline other) {
            int byTime = at.compareTo(other.at);
            if (byTime != 0) {
                return byTime;
            }
            // A session ends before its locks expire at the same moment, so that it is reported with them.
            int byKind = Boolean.compare(other.ofSession, ofSession);
            return byKind != 0 ? byKind : Names.ORDER.compare(id, other.id);
        }
    }
}
