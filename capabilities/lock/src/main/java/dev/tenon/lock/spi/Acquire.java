package dev.tenon.lock.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The wish for a lock. Sent again with the same {@code requestId} it is the same wish: the answer then tells how it
 * stands now, and nothing is granted or queued twice.
 *
 * @param name of the lock
 * @param sessionId of an open session
 * @param requestId unique over all time; the name of this waiter in grants and cancellations
 * @param owner who asks, for people who look: host, process, thread
 * @param lease how long the lock stays held without a renewal; empty: as long as the session, which only a store with
 *     {@link StoreTraits#sessionsExpire()} accepts
 * @param waitTime how long to stay in the queue if the lock is taken; zero: do not queue
 */
public record Acquire(
        String name, String sessionId, String requestId, String owner, Optional<Duration> lease, Duration waitTime) {
    /** The longest lease. */
    public static final Duration LEASE_MAX = Duration.ofDays(1);

    /** The longest wait. */
    public static final Duration WAIT_MAX = Duration.ofDays(1);

    public Acquire {
        Names.requireValid("lock name", name);
        Names.requireValid("session ID", sessionId);
        Names.requireValid("request ID", requestId);
        Names.requireValid("lock owner", owner);
        Objects.requireNonNull(lease, "lease").ifPresent(Acquire::requireLease);
        Objects.requireNonNull(waitTime, "waitTime");
        if (waitTime.isNegative() || waitTime.compareTo(WAIT_MAX) > 0) {
            throw new IllegalArgumentException("Wait must be between zero and " + WAIT_MAX + ": " + waitTime);
        }
    }

    /** Whether the request is to be queued when the lock is taken. */
    public boolean mayWait() {
        return !waitTime.isZero();
    }

    static Duration requireLease(Duration lease) {
        if (lease.isZero() || lease.isNegative() || lease.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException("Lease must be more than zero and at most " + LEASE_MAX + ": " + lease);
        }
        return lease;
    }
}
