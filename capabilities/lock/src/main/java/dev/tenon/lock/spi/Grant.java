package dev.tenon.lock.spi;

import java.time.Duration;

/**
 * A lock handed to a waiter. The waiter may count on it until {@code sinceQueued + lease} after the moment at which it
 * <em>sent</em> its acquire: the store measured both durations on one clock, so no transit time of the push can make
 * that moment too late.
 *
 * @param name of the lock
 * @param requestId of the acquire that was queued
 * @param sessionId to which the waiter belongs
 * @param token the fencing token of this grant
 * @param sinceQueued how long the request had been in the queue when the lock was granted, by the store's clock
 * @param lease how long the grant is good for: at most {@link LockMachine#CLAIM_LEASE}, to be extended by a renewal; if
 *     it replaces another hold, as long as that would have been, if that is longer
 */
public record Grant(
        String name, String requestId, String sessionId, long token, Duration sinceQueued, Duration lease) {}
