package dev.tenon.server.quota;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.problem.ProblemException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The locks that are held and waited for through this server, each charged to the key of its session: until it is
 * released or called off, its session has ended, or its lease or wait is over as far as this server knows. Thread-safe.
 */
final class LockQuota {
    /** A session that was opened with an API key carries the key's ID. */
    private static final Pattern KEY = Pattern.compile(".*-([0-9a-f]{8})", Pattern.DOTALL);

    private static final long LOCK = 1_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<Place, Charge> charges = new HashMap<>();
    private final Map<String, Set<Place>> bySession = new HashMap<>();
    private final Quotas quotas;

    /** What is charged: a request that may get a lock, or a lock that is held. */
    private sealed interface Place {
        record Wish(String name, String requestId) implements Place {}

        record Hold(String name, long token) implements Place {}
    }

    /** @param untilNanos when it is over; empty: with its session */
    private record Charge(String sessionId, String key, long bytes, Optional<Long> untilNanos) {
        Charge until(Optional<Duration> left) {
            return new Charge(sessionId, key, bytes, left.map(LockQuota::at));
        }
    }

    LockQuota(Quotas quotas) {
        this.quotas = quotas;
    }

    /**
     * A request is about to be sent to the store.
     *
     * @throws ProblemException if that is one too many
     */
    void asks(Acquire request) {
        Place wish = new Place.Wish(request.name(), request.requestId());
        Matcher keyed = KEY.matcher(request.sessionId());
        String key = keyed.matches() ? keyed.group(1) : "";
        Duration wait = request.mayWait() ? request.waitTime() : Duration.ZERO;
        Optional<Long> until = Optional.of(at(wait.plus(LockMachine.CLAIM_LEASE)));
        guard.lock();
        try {
            if (!charges.containsKey(wish)) {
                long bytes = LOCK + 2L * request.name().length();
                quotas.enter(LimitedResource.LOCKS, key, bytes);
                put(wish, new Charge(request.sessionId(), key, bytes, until));
            }
        } finally {
            guard.unlock();
        }
    }

    /** A request got nothing, and does not wait. */
    void dropped(String name, String requestId) {
        within(() -> give(new Place.Wish(name, requestId)));
    }

    /**
     * A request has got its lock.
     *
     * @param lease for how long; empty: as long as its session
     */
    void granted(String name, String requestId, long token, Optional<Duration> lease) {
        within(() -> move(new Place.Wish(name, requestId), new Place.Hold(name, token), lease));
    }

    /** A lock is held for longer. */
    void renewed(String name, long token, Optional<Duration> lease) {
        within(() -> charges.computeIfPresent(new Place.Hold(name, token), (hold, charge) -> charge.until(lease)));
    }

    /** A lock is not held any more. */
    void released(String name, long token) {
        within(() -> give(new Place.Hold(name, token)));
    }

    /** A session has ended, with all that it held and waited for. */
    void ended(String sessionId) {
        within(() -> List.copyOf(bySession.getOrDefault(sessionId, Set.of())).forEach(this::give));
    }

    /** Forgets what is over by its time. */
    void runOnce() {
        long now = System.nanoTime();
        within(() -> charges.entrySet().stream()
                .filter(charge -> charge.getValue()
                        .untilNanos()
                        .filter(until -> until - now < 0)
                        .isPresent())
                .map(Map.Entry::getKey)
                .toList()
                .forEach(this::give));
    }

    private static long at(Duration later) {
        return System.nanoTime() + later.toNanos();
    }

    private void within(Runnable work) {
        guard.lock();
        try {
            work.run();
        } finally {
            guard.unlock();
        }
    }

    private void put(Place place, Charge charge) {
        charges.put(place, charge);
        bySession.computeIfAbsent(charge.sessionId(), id -> new HashSet<>()).add(place);
    }

    private void move(Place from, Place to, Optional<Duration> lease) {
        Charge charge = charges.get(from);
        if (charge == null) {
            return;
        }
        if (charges.containsKey(to)) {
            give(from);
            return;
        }
        remove(from, charge);
        put(to, charge.until(lease));
    }

    private void remove(Place place, Charge charge) {
        charges.remove(place);
        bySession.computeIfPresent(charge.sessionId(), (id, places) -> {
            places.remove(place);
            return places.isEmpty() ? null : places;
        });
    }

    private void give(Place place) {
        Charge charge = charges.get(place);
        if (charge != null) {
            remove(place, charge);
            quotas.leave(LimitedResource.LOCKS, charge.key(), charge.bytes());
        }
    }
}
