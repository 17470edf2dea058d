package dev.tenon.sharded;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Release;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What this process holds, and where. Thread-safe. */
final class ShardedHolds {
    private final Map<Release, Hold> holds = new ConcurrentHashMap<>();
    private final TimeSource time;

    /**
     * @param endNanos until when it is held for certain
     */
    private record Hold(String sessionId, String label, long endNanos) {}

    ShardedHolds(TimeSource time) {
        this.time = time;
    }

    void put(Release lock, String sessionId, String label, long endNanos) {
        holds.put(lock, new Hold(sessionId, label, endNanos));
    }

    void renewed(Release lock, long endNanos) {
        holds.computeIfPresent(lock, (key, hold) -> new Hold(hold.sessionId, hold.label, endNanos));
    }

    void gone(Release lock) {
        holds.remove(lock);
    }

    void goneWith(String sessionId) {
        holds.values().removeIf(hold -> hold.sessionId.equals(sessionId));
    }

    /** The node of a hold, if it is one of this process. */
    Optional<String> label(Release lock) {
        return Optional.ofNullable(holds.get(lock)).map(Hold::label);
    }

    /** How long it is held for certain; nothing or less: not any more, or not by this process. */
    Duration left(Release lock) {
        Hold hold = holds.get(lock);
        return hold == null ? Duration.ZERO : Duration.ofNanos(hold.endNanos - time.nanoTime());
    }

    /** Whether any is held elsewhere than where it belongs after the change. */
    boolean lag(ShardedPlan plan) {
        return holds.entrySet().stream()
                .anyMatch(entry -> !entry.getValue()
                        .label
                        .equals(plan.after().nodeFor(entry.getKey().name())));
    }

    /** Forgets what is over. */
    void runOnce() {
        long now = time.nanoTime();
        holds.values().removeIf(hold -> hold.endNanos - now < 0);
    }
}
