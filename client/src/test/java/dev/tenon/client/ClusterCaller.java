package dev.tenon.client;

import dev.tenon.testkit.history.History;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A way to a cluster, of a caller that goes on until it has an answer. Each throws an {@link AssertionError} when the
 * answer is one that must not be, or none came for too long. For one thread.
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

    /** What looks who holds a lock, each time that it is run. */
    Runnable lockReader(String lock, String reader, Told told);

    /**
     * Where a user of locks tells what it has seen.
     *
     * @param history what happened to the lock
     * @param vain when somebody began to ask for the lock, by its name, who may have got it and never have heard of it
     * @param answered run for each answer, of being busy too
     */
    record Told(History history, Map<String, Queue<Long>> vain, Runnable answered) {
        void inVain(String lock, long invoked) {
            vain.computeIfAbsent(lock, name -> new ConcurrentLinkedQueue<>()).add(invoked);
        }

        /**
         * A request was sent twice, as its first answer was late. The first may come to the log when the lock was given
         * back already, and then holds it for as long as there is to claim it.
         */
        void twice(String lock, long invoked) {
            inVain(lock, invoked);
        }
    }
}
