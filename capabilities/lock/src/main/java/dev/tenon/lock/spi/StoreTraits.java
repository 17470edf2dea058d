package dev.tenon.lock.spi;

import java.time.Duration;

/**
 * What a {@link LockStore} can do.
 *
 * @param tokenSource where its fencing tokens come from
 * @param push how a waiter learns of its grant
 * @param survivesRestart whether locks and tokens survive a kill of the store
 * @param sessionsExpire whether the store itself ends a session that is not kept alive, with all that it holds; only
 *     then may an {@link Acquire} come without a lease of its own
 * @param leastLease the shortest lease that the store accepts
 */
public record StoreTraits(
        TokenSource tokenSource, Push push, boolean survivesRestart, boolean sessionsExpire, Duration leastLease) {

    /** Where fencing tokens come from. */
    public enum TokenSource {
        /** {@code max(previous + 32, store clock in microseconds)}. */
        STORE_CLOCK,
        /**
         * {@code max(previous + 32, 32 * index of the log entry)}; for a store that has no log, its own count of its
         * writes (etcd's revision, ZooKeeper's zxid).
         */
        LOG_INDEX
    }

    /** How a waiter learns that a lock was handed to it. */
    public enum Push {
        /** The store tells it at once. */
        PUSHED,
        /** It asks again when {@link Outcome.Queued#recheckAfter()} has passed. */
        TIMED
    }
}
