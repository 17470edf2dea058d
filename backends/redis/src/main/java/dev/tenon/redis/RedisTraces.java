package dev.tenon.redis;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Release;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the sessions of this process may hold or wait for in Redis: so much as is needed to give it all back when a
 * session is closed, since Redis itself knows no sessions. Too much is harmless (a release or a cancellation without
 * effect), so it errs on that side; what the store has let expire is forgotten by {@link #runOnce}. Thread-safe.
 */
final class RedisTraces {
    private final Map<Release, Trace> held = new ConcurrentHashMap<>();
    private final Map<Cancel, Trace> waiting = new ConcurrentHashMap<>();
    private final TimeSource time;
    private final Duration late;

    /**
     * @param late how long the answer to a call may take: what a renewal has kept may be known here only after its old
     * lease
     */
    RedisTraces(TimeSource time, Duration late) {
        this.time = time;
        this.late = late;
    }

    void granted(String sessionId, String name, long token, Duration lease) {
        held.put(new Release(name, token), trace(sessionId, lease));
    }

    void granted(Grant grant) {
        granted(grant.sessionId(), grant.name(), grant.token(), grant.lease());
        waiting.remove(new Cancel(grant.name(), grant.requestId()));
    }

    /** The request may be queued, or granted later. */
    void mayWait(Acquire request) {
        Duration longest = request.waitTime().plus(request.lease().orElse(Duration.ZERO));
        waiting.put(
                new Cancel(request.name(), request.requestId()),
                trace(request.sessionId(), longest.plus(LockMachine.CLAIM_LEASE)));
    }

    void renewed(Release lock, Duration lease) {
        held.computeIfPresent(lock, (key, trace) -> trace(trace.sessionId, lease));
    }

    void gone(Release lock) {
        held.remove(lock);
    }

    void gone(Cancel wait) {
        waiting.remove(wait);
    }

    List<Release> heldBy(String sessionId) {
        return of(held, sessionId);
    }

    List<Cancel> waitsOf(String sessionId) {
        return of(waiting, sessionId);
    }

    /** Forgets what is over. */
    void runOnce() {
        long now = time.nanoTime();
        held.values().removeIf(trace -> trace.endsNanos - now < 0);
        waiting.values().removeIf(trace -> trace.endsNanos - now < 0);
    }

    private Trace trace(String sessionId, Duration lasts) {
        return new Trace(sessionId, time.nanoTime() + lasts.plus(late).toNanos());
    }

    private static <K> List<K> of(Map<K, Trace> traces, String sessionId) {
        return traces.entrySet().stream()
                .filter(entry -> entry.getValue().sessionId.equals(sessionId))
                .map(Map.Entry::getKey)
                .toList();
    }

    private record Trace(String sessionId, long endsNanos) {}
}
