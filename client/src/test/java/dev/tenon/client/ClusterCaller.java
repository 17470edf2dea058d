package dev.tenon.client;

import dev.tenon.testkit.history.History;
import java.util.List;

/**
 * A way to a cluster, of a caller that goes on until it has an answer. Each throws an {@link AssertionError} when the answer is
 * one that must not be, or none came for too long. For one thread.
 */
interface ClusterCaller {
    /** Defines a name, or finds it defined so. */
    void define(String name, String definition);

    /** The name must be defined. */
    void mustKnow(String name);

    /** New IDs of a name; those of an answer that was lost are lost. */
    List<String> next(String name, int count);

    /** What takes a lock and gives it back, in a session of its own, each time that it is run. */
    Runnable lockUser(String lock, String user, Told told);

    /**
     * Where a user of locks tells what it has seen.
     *
     * @param history what happened to the lock
     * @param answered run for each answer, of being busy too
     */
    record Told(History history, Runnable answered) {}
}
