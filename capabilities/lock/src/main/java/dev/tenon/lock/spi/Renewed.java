package dev.tenon.lock.spi;

import java.time.Duration;

/** The answer to a {@link Renew}. */
public sealed interface Renewed {
    /**
     * The lease was extended.
     *
     * @param lease what is left of it, by the store's clock at the time of the answer
     */
    record Extended(Duration lease) implements Renewed {}

    /** The lock is not held under that token any more. */
    record NotHeld() implements Renewed {}
}
