package dev.tenon.lock.spi;

import java.time.Duration;

/** The answer to a {@link Cancel}. */
public sealed interface Cancelled {
    /** The request is not in the queue (any more) and holds nothing. */
    record Gone() implements Cancelled {}

    /**
     * Too late: the request had been granted and still holds the lock, which is now to be used or released.
     *
     * @param token of the grant
     * @param lease what is left of it, by the store's clock at the time of the answer
     */
    record WasGranted(long token, Duration lease) implements Cancelled {}
}
