package dev.tenon.lock;

import dev.tenon.lock.spi.Grant;
import org.jspecify.annotations.Nullable;

/**
 * What the store knows an attempt to acquire by, and how it has gone so far.
 *
 * @param id of the request
 * @param firstNanos when it was asked first, on the process's monotonic clock
 * @param queued whether the store has had it wait: a lease that it gets is short then, and is to be renewed soon
 * @param failures of calls since the store last had it wait
 * @param lastFailure if the last call failed
 */
record AcquireProgress(
        String id,
        long firstNanos,
        boolean queued,
        int failures,
        @Nullable Throwable lastFailure) {
    static AcquireProgress of(String id, long nowNanos) {
        return new AcquireProgress(id, nowNanos, false, 0, null);
    }

    AcquireProgress answered(boolean inQueue) {
        return new AcquireProgress(id, firstNanos, queued || inQueue, inQueue ? 0 : failures, null);
    }

    AcquireProgress granted() {
        return new AcquireProgress(id, firstNanos, true, failures, lastFailure);
    }

    /** From when on the lease of a grant counts. */
    long grantedNanos(Grant grant) {
        long sinceQueued = grant.sinceQueued().toNanos();
        // The store's clock may run faster than ours by 0.1 %: then less time than it says has passed here.
        return firstNanos + sinceQueued - sinceQueued / 1000;
    }

    AcquireProgress failed(Throwable failure) {
        return new AcquireProgress(id, firstNanos, queued, failures + 1, failure);
    }
}
