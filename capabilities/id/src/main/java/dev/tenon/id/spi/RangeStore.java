package dev.tenon.id.spi;

import java.util.Optional;

/**
 * A durable source of number ranges, one sequence a name: what segments and sequences are cut from.
 *
 * <p>Every implementation promises, and {@code RangeStoreContract} checks: no number of a name is in two ranges,
 * ever; the ranges of a name ascend in the order in which they were given out; one call is one round trip, on a
 * connection of its own, never inside a transaction of the caller.
 *
 * <p>Calls block. They fail with {@link dev.tenon.BackendUnavailableException} when nothing happened, and with {@link
 * dev.tenon.OutcomeUnknownException} when a reply was lost: for {@link #next} that means that a range may be wasted,
 * and asking again is safe. Implementations are thread-safe.
 */
public interface RangeStore {
    /**
     * Takes the next numbers of a sequence. A name that was never defined begins with {@link RangeDefinition#DEFAULT}.
     *
     * @param count how many numbers, 1 to {@link IdRange#COUNT_MAX}
     * @return that many, or those that are left if the sequence is about to reach its max
     * @throws dev.tenon.id.RangeExhaustedException if none is left
     */
    IdRange next(String name, long count);

    /**
     * Defines a sequence. Defining it again in the same way changes nothing.
     *
     * @throws dev.tenon.id.DefinitionConflictException if the sequence exists with another definition
     */
    void define(String name, RangeDefinition definition);

    /** The definition of a sequence; empty if it was neither defined nor used. */
    Optional<RangeDefinition> definition(String name);

    /**
     * Makes sure that every later number of a sequence is greater than {@code floor}; it never goes back, and the
     * numbers stay {@code start}, {@code start + step}, …. A name that was never defined begins with {@link
     * RangeDefinition#DEFAULT}. This repairs a store that was rolled back.
     *
     * @return the first number that {@link #next} would now give
     * @throws dev.tenon.id.RangeExhaustedException if none is left above {@code floor}: the sequence is then used up
     */
    long raiseTo(String name, long floor);
}
