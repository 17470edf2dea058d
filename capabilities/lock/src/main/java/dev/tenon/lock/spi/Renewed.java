package dev.tenon.lock.spi;

import java.time.Duration;
import java.util.Optional;

/** The answer to a {@link Renew}. */
public sealed interface Renewed {
    /**
     * The lease was extended.
     *
     * @param lease what is left of it, by the store's clock at the time of the answer
     * @param revokedBy who has asked the holder to let go, if somebody has
     */
    record Extended(Duration lease, Optional<String> revokedBy) implements Renewed {
        /** Extended, and nobody asks for the lock. */
        public Extended(Duration lease) {
            this(lease, Optional.empty());
        }
    }

    /** The lock is not held under that token any more. */
    record NotHeld() implements Renewed {}
}
