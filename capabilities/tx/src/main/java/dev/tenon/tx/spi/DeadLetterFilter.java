package dev.tenon.tx.spi;

import java.util.Objects;
import java.util.Optional;

/**
 * Which dead letters of an outbox are meant. Immutable.
 *
 * @param target only those to this one
 * @param key only those with this one
 * @param type only those of this one
 */
public record DeadLetterFilter(Optional<String> target, Optional<String> key, Optional<String> type) {
    /** All of them. */
    public static final DeadLetterFilter ALL =
            new DeadLetterFilter(Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * @throws NullPointerException if something is missing
     */
    public DeadLetterFilter {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(type, "type");
    }

    /** Those to one target. */
    public static DeadLetterFilter to(String target) {
        return new DeadLetterFilter(Optional.of(target), Optional.empty(), Optional.empty());
    }

    /** Those of this that have a key. */
    public DeadLetterFilter withKey(String text) {
        return new DeadLetterFilter(target, Optional.of(text), type);
    }
}
