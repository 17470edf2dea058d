package dev.tenon.server.ids;

import java.util.Map;

/** What issues the numbers of one definition. Thread-safe. */
public interface Issuer extends AutoCloseable {
    /** In which order numbers are wanted. */
    enum Order {
        /** As the kind of the definition has it. */
        ASCENDING,
        /** Each number of a segment once, in an unguessable order. */
        SHUFFLED
    }

    /** Admits a call of {@link #take} to a thread that must not wait, if it is sure not to; an admitted call is counted. */
    boolean admit(int count, Order order);

    /**
     * New numbers, in the order of issue. May block.
     *
     * @return {@code count} numbers; fewer, but at least one, where the definition has a max and it is reached
     */
    long[] take(int count, Order order);

    /** What can be said about where this stands, for people who look. */
    Map<String, Object> state();

    /** Ends the leases and gives back what can be given back. */
    @Override
    void close();
}
