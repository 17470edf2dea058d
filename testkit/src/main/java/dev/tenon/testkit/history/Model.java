package dev.tenon.testkit.history;

import java.util.Optional;

/**
 * What one lock, or register, may do, one step after the other: the specification that a history is held against.
 * Stateless.
 *
 * @param <S> the states: values with {@code equals} and {@code hashCode}
 */
public interface Model<S> {
    /** Before everything. */
    S initial();

    /** The next state; empty if this can't happen now. */
    Optional<S> next(S state, Operation operation);

    /**
     * Whether an uncertain operation can no longer change anything, now or later. Without this the search would ask for
     * each lost reply of the past whether it has happened yet.
     */
    default boolean isSpent(S state, Operation uncertain) {
        return false;
    }
}
