package dev.tenon.server.ids;

import dev.tenon.id.SequenceRegressedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What issues the IDs of one definition. Thread-safe. */
public interface Issuer extends AutoCloseable {
    /**
     * Admits a call of {@link #next} to a thread that must not wait, if it is sure not to; an admitted call is counted.
     */
    boolean admit(IdRequest request);

    /**
     * New IDs, without their label, in the order of issue. May block.
     *
     * @return as many as are wanted; fewer, but at least one, where the definition has a max and it is reached
     */
    List<String> next(IdRequest request);

    /**
     * Has what {@link #next} needs of the store fetched in the background, where that can be done ahead. Does not
     * block.
     */
    default void fetchAhead() {}

    /** What can be said about where this stands, for people who look. Does not block. */
    Map<String, Object> state();

    /** Why nothing comes from the store, if it went back; does not block, and may still say so once it was repaired. */
    default Optional<SequenceRegressedException> regression() {
        return Optional.empty();
    }

    /** The greatest number that this has seen of its store, if its numbers come from there. Does not block. */
    default OptionalLong highestSeen() {
        return OptionalLong.empty();
    }

    /** Ends the leases and gives back what can be given back. */
    @Override
    void close();
}
