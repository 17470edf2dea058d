package dev.tenon.redis;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Release;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the sessions of this process hold in a quorum, as far as it knows: so that a request which has its lock is never
 * begun again, a session gives everything back, and a semaphore's permits are renewed everywhere. Thread-safe.
 */
final class RedisQuorumHolds {
    private final Map<Release, Hold> holds = new ConcurrentHashMap<>();
    private final Map<String, Release> byRequest = new ConcurrentHashMap<>();
    private final TimeSource time;

    private record Hold(String sessionId, String requestId, int needed, long endNanos) {}

    RedisQuorumHolds(TimeSource time) {
        this.time = time;
    }

    /** @param untilNanos until when enough nodes hold, counted from before they were asked */
    void granted(Acquire request, long token, long untilNanos, int needed) {
        Release lock = new Release(request.name(), token);
        holds.put(lock, new Hold(request.sessionId(), request.requestId(), needed, untilNanos));
        byRequest.put(request.requestId(), lock);
    }

    /** @param untilNanos until when enough nodes hold, counted from before they were asked */
    void renewed(Release lock, long untilNanos) {
        holds.computeIfPresent(lock, (key, hold) -> new Hold(hold.sessionId, hold.requestId, hold.needed, untilNanos));
    }

    void gone(Release lock) {
        Hold hold = holds.remove(lock);
        if (hold != null) {
            byRequest.remove(hold.requestId, lock);
        }
    }

    /** What this request was granted, unless that is known to be over. */
    Optional<Release> of(String requestId) {
        return Optional.ofNullable(byRequest.get(requestId));
    }

    /** How many nodes must agree that this is held. */
    int needed(Release lock, int majority) {
        Hold hold = holds.get(lock);
        return hold == null ? majority : hold.needed;
    }

    /** What is left of a lease from a moment on; zero or less if it is over, or not known. */
    Duration left(Release lock, long fromNanos) {
        Hold hold = holds.get(lock);
        return hold == null ? Duration.ZERO : Duration.ofNanos(hold.endNanos - fromNanos);
    }

    List<Release> heldBy(String sessionId) {
        return holds.entrySet().stream()
                .filter(entry -> entry.getValue().sessionId.equals(sessionId))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Forgets what is over. */
    void runOnce() {
        long now = time.nanoTime();
        holds.forEach((lock, hold) -> {
            if (hold.endNanos - now < 0) {
                gone(lock);
            }
        });
    }
}
