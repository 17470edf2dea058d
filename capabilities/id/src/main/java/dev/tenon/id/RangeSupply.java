package dev.tenon.id;

import dev.tenon.id.spi.IdRange;

/** Where a generator's ranges come from. Calls block, and throw as a store does. Thread-safe. */
interface RangeSupply {
    /** The name of the sequence, for messages. */
    String name();

    /** The next numbers, greater than all that came from here before. */
    IdRange next(long count);

    /** Supplies with equal turns must not be called at the same time; by {@link Object#equals}. */
    default Object turn() {
        return this;
    }

    /** How many numbers were taken from a store and not let through. */
    long refused();
}
