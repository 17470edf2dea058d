package dev.tenon.tx.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A message of an outbox that fails again and again, or is dead, and what it holds back: those behind it with its
 * target and key; nothing, if it has no key. Immutable.
 *
 * @param oldest the message, the first of its key that was not delivered, with its attempts and its history
 * @param dead whether it is a dead letter, which an operator has to replay or discard
 * @param since when it was first known to have failed, by the store's clock
 * @param blockedFor how long ago that was
 * @param waiting how many messages are behind it, counted up to {@value #WAITING_MAX}
 */
public record StuckLane(OutboxEntry oldest, boolean dead, Instant since, Duration blockedFor, int waiting) {
    /** So many there are, or more. */
    public static final int WAITING_MAX = 1000;

    /**
     * @throws IllegalArgumentException if {@code blockedFor} or {@code waiting} is negative
     */
    public StuckLane {
        Objects.requireNonNull(oldest, "oldest");
        Objects.requireNonNull(since, "since");
        if (blockedFor.isNegative() || waiting < 0) {
            throw new IllegalArgumentException("Blocked for " + blockedFor + ", with " + waiting + " behind it");
        }
    }

    /** The error of its last attempt; empty if the sender died before it wrote one. */
    public String lastError() {
        return oldest.history().stream()
                .filter(event -> event.what().equals("failed") || event.what().equals("dead"))
                .reduce((a, b) -> b)
                .map(event -> event.detail())
                .orElse("");
    }
}
