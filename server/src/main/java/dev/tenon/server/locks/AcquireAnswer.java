package dev.tenon.server.locks;

import java.time.Duration;
import java.util.Optional;

/** How an acquire ended. */
public sealed interface AcquireAnswer {
    /**
     * The lock is held.
     *
     * @param token its fencing token
     * @param lease what is left of the lease, by the store's clock
     */
    record Held(long token, Duration lease) implements AcquireAnswer {}

    /**
     * It was not acquired in time, and is not waited for any more.
     *
     * @param holder who has it, as far as is known
     */
    record Refused(Optional<HeldBy> holder) implements AcquireAnswer {}

    /** The session of the request is unknown, or has ended while the request waited. */
    record SessionGone() implements AcquireAnswer {}

    /** The server stops. The request keeps its place in the queue of the store. */
    record Stopping() implements AcquireAnswer {}

    /**
     * A holder.
     *
     * @param owner as it called itself
     * @param leaseLeft how long it still holds without a renewal, by the store's clock
     */
    record HeldBy(String owner, Duration leaseLeft) {}
}
