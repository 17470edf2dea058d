package dev.tenon.tx.spi;

import java.util.Objects;
import java.util.Optional;

/**
 * Messages of an outbox that go one after the other: those of one target and key. Those of a target that have no key
 * are shown as one lane, too, though none of them waits for another. Immutable.
 *
 * @param outbox whose messages they are
 * @param target where they go to
 * @param key what they have in common; empty: they have none
 * @param first the one that was enqueued first of those that are neither sent nor discarded: what keeps the others
 *     back, if there is a key
 * @param waiting how many there are beside it, counted up to {@link OutboxOperations#COUNT_MAX}
 */
public record OutboxLane(String outbox, String target, Optional<String> key, OutboxMessage first, int waiting) {
    /**
     * @throws NullPointerException if something is missing
     */
    public OutboxLane {
        Objects.requireNonNull(outbox, "outbox");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(first, "first");
    }

    /** Whether its first message has failed, and was neither sent nor discarded since. */
    public boolean isFailing() {
        return first.isFailing();
    }
}
