package dev.tenon.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Optional;

/** Which node to ask. Thread-safe. */
interface RedisNodes extends AutoCloseable {
    /**
     * Finds the nodes; what a {@link Watcher} is told comes only afterwards.
     *
     * @throws dev.tenon.BackendUnavailableException if there is none
     */
    void start();

    /** The node that has a key; empty if none has its slot. */
    Optional<RedisNode> of(String key);

    /** The node to which an error sends those that asked another; empty if it does not. */
    Optional<RedisNode> redirected(String error);

    /** Those that have keys, each its own. */
    List<RedisNode> all();

    /** Where to listen: any node tells of what is published on one. Another answer each time, if there are several. */
    RedisURI forPushes();

    /** Told of a failure that may mean that another node has taken over. */
    void suspect(RedisNode node, Throwable failure);

    /** Has a look at whether the nodes are still the same, if it is time to. */
    void runOnce();

    @Override
    void close();

    /** Told when pushes may have been lost though no connection for pushes was; and of nodes that are new. */
    interface Watcher {
        /** A node has come, or has come back. */
        void opened(RedisNode node);

        /** Keys have moved to other nodes. */
        void moved();
    }
}
