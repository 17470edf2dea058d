package dev.tenon.tx.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * How an outbox is. Immutable.
 *
 * @param outbox its name
 * @param lag for how long the message that has waited longest has been due; empty if none is
 * @param waiting how many messages are to be sent yet, counted up to {@link OutboxOperations#COUNT_MAX}
 * @param deadLetters how many dead letters there are, counted up to {@link OutboxOperations#COUNT_MAX}
 * @param oldestDeath when the oldest of these was given up; empty if there is none
 */
public record OutboxSummary(
        String outbox, Optional<Duration> lag, int waiting, int deadLetters, Optional<Instant> oldestDeath) {
    /**
     * @throws NullPointerException if something is missing
     */
    public OutboxSummary {
        Objects.requireNonNull(outbox, "outbox");
        Objects.requireNonNull(lag, "lag");
        Objects.requireNonNull(oldestDeath, "oldestDeath");
    }
}
