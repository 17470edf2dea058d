package dev.tenon.server.ids;

import java.util.Optional;

/**
 * What a caller wants.
 *
 * @param count how many IDs, 1 or more
 * @param order in which their numbers are wanted
 * @param shardKey whose shard they are to carry, where the kind has shards
 */
public record IdRequest(int count, Order order, Optional<String> shardKey) {
    /** In which order numbers are wanted. */
    public enum Order {
        /** As the kind of the definition has it. */
        OWN,
        /** Ascending, from a kind that has both. */
        ASCENDING,
        /** Each number of a segment once, in an unguessable order, from a kind that has both. */
        SHUFFLED
    }

    /** So many IDs as the definition has them. */
    public static IdRequest of(int count) {
        return new IdRequest(count, Order.OWN, Optional.empty());
    }

    /** One ID in a certain order. */
    public static IdRequest one(Order order) {
        return new IdRequest(1, order, Optional.empty());
    }
}
