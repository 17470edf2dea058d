package dev.tenon.lock.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

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
 * @param terms in which way it is wanted
 */
public record Acquire(
        String name,
        String sessionId,
        String requestId,
        String owner,
        Optional<Duration> lease,
        Duration waitTime,
        Terms terms) {
    /** The longest lease. */
    public static final Duration LEASE_MAX = Duration.ofDays(1);

    /** The longest wait. */
    public static final Duration WAIT_MAX = Duration.ofDays(1);

    /** The longest lock-delay. */
    public static final Duration LOCK_DELAY_MAX = Duration.ofHours(1);

    /**
     * In which way a lock is wanted.
     *
     * @param mode beside whom it may be held
     * @param fair false: it may be taken before those who wait, if it is free for this mode; true: it may not
     * @param lockDelay how long nobody else gets the lock if this holder's lease or session runs out, rather than being
     *     given back: time for what it had under way to arrive and fail (Burrows, "The Chubby lock service", OSDI 2006,
     *     2.4); zero: none
     * @param converts the token of a hold that this wish is to replace, in one step and with a new token: from update
     *     to exclusive, or to a weaker mode; it goes before all who wait
     */
    public record Terms(LockMode mode, boolean fair, Duration lockDelay, OptionalLong converts) {
        /** Exclusive, in the order of arrival, without a lock-delay. */
        public static final Terms EXCLUSIVE = of(LockMode.EXCLUSIVE);

        public Terms {
            Objects.requireNonNull(mode, "mode");
            Objects.requireNonNull(lockDelay, "lockDelay");
            Objects.requireNonNull(converts, "converts");
            if (lockDelay.isNegative() || lockDelay.compareTo(LOCK_DELAY_MAX) > 0) {
                throw new IllegalArgumentException(
                        "Lock-delay must be between zero and " + LOCK_DELAY_MAX + ": " + lockDelay);
            }
        }

        /** A mode, in the order of arrival, without a lock-delay. */
        public static Terms of(LockMode mode) {
            return new Terms(mode, true, Duration.ZERO, OptionalLong.empty());
        }

        /** The same, perhaps before others. */
        public Terms barging() {
            return new Terms(mode, false, lockDelay, converts);
        }

        /** The same with a lock-delay. */
        public Terms withLockDelay(Duration delay) {
            return new Terms(mode, fair, delay, converts);
        }

        /** The same, in place of a hold. */
        public Terms converting(long token) {
            return new Terms(mode, fair, lockDelay, OptionalLong.of(token));
        }
    }

    public Acquire {
        Names.requireValid("lock name", name);
        Names.requireValid("session ID", sessionId);
        Names.requireValid("request ID", requestId);
        Names.requireValid("lock owner", owner);
        Objects.requireNonNull(lease, "lease").ifPresent(Acquire::requireLease);
        Objects.requireNonNull(waitTime, "waitTime");
        Objects.requireNonNull(terms, "terms");
        if (waitTime.isNegative() || waitTime.compareTo(WAIT_MAX) > 0) {
            throw new IllegalArgumentException("Wait must be between zero and " + WAIT_MAX + ": " + waitTime);
        }
    }

    /** An exclusive lock, in the order of arrival. */
    public Acquire(
            String name,
            String sessionId,
            String requestId,
            String owner,
            Optional<Duration> lease,
            Duration waitTime) {
        this(name, sessionId, requestId, owner, lease, waitTime, Terms.EXCLUSIVE);
    }

    /** The same wish with another lease. */
    public Acquire withLease(Duration other) {
        return new Acquire(name, sessionId, requestId, owner, Optional.of(other), waitTime, terms);
    }

    /** The same wish with another wait. */
    public Acquire withWait(Duration other) {
        return new Acquire(name, sessionId, requestId, owner, lease, other, terms);
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
