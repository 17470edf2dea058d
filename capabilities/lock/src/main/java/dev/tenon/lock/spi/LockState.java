package dev.tenon.lock.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The whole state of one lock: what {@link LockMachine} works on. Instants are those of the store's clock.
 *
 * @param name of the lock
 * @param token the greatest token granted (or reserved by an eviction) so far
 * @param holder who holds it
 * @param queue who waits, in the order of arrival
 */
public record LockState(String name, long token, Optional<Holder> holder, List<Waiter> queue) {
    public LockState {
        queue = List.copyOf(queue);
    }

    /** A lock that nobody holds and nobody waits for. */
    public static LockState free(String name, long token) {
        return new LockState(name, token, Optional.empty(), List.of());
    }

    /** Whether nothing but the token would be lost by forgetting this state. */
    public boolean isIdle() {
        return holder.isEmpty() && queue.isEmpty();
    }

    /** Whether the lock is held under {@code token}, as far as this state knows. */
    public boolean isHeldUnder(long token) {
        return holder.isPresent() && holder.get().token() == token;
    }

    /** The next moment at which time alone changes this state, if there is one. */
    public Optional<Instant> deadline() {
        Optional<Instant> first = holder.map(Holder::expiresAt);
        for (Waiter w : queue) {
            if (first.isEmpty() || w.deadline().isBefore(first.get())) {
                first = Optional.of(w.deadline());
            }
        }
        return first;
    }

    /** What people may see of this state at {@code now}. */
    public LockView view(Instant now) {
        return new LockView(
                name,
                token,
                holder.map(h -> new LockView.HolderView(h.sessionId, h.owner, h.token, h.since, h.left(now))),
                queue.stream()
                        .map(w -> new LockView.WaiterView(
                                w.sessionId, w.owner, w.since, Duration.between(now, w.deadline)))
                        .toList());
    }

    /**
     * A request that holds the lock.
     *
     * @param sessionId to which it belongs
     * @param requestId of its acquire
     * @param owner as it called itself
     * @param token under which it holds
     * @param since when it was granted
     * @param expiresAt when it ends, unless it is renewed
     */
    public record Holder(
            String sessionId, String requestId, String owner, long token, Instant since, Instant expiresAt) {
        Duration left(Instant now) {
            return Duration.between(now, expiresAt);
        }

        Holder until(Instant newExpiry) {
            return new Holder(sessionId, requestId, owner, token, since, newExpiry);
        }
    }

    /**
     * A request that waits for the lock.
     *
     * @param sessionId to which it belongs
     * @param requestId of its acquire
     * @param owner as it called itself
     * @param lease that it asked for
     * @param since when it was queued
     * @param deadline when it stops waiting
     */
    public record Waiter(
            String sessionId, String requestId, String owner, Duration lease, Instant since, Instant deadline) {}
}
