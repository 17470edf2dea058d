package dev.tenon.redis;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Objects;

/**
 * How to reach a Redis, and what to call the keys in it.
 *
 * @param uri one Redis: {@code redis://[user:password@]host[:port][/database]}; the master that Sentinels name: {@code
 *     redis-sentinel://[user:password@]host[:port],host[:port][/database]#master}; or a cluster, by one of its nodes or
 *     more: {@code redis-cluster://[user:password@]host[:port],host[:port]}. For TLS {@code rediss},
 *     {@code rediss-sentinel}, {@code rediss-cluster}
 * @param keyPrefix what every key and channel begins with; processes that share it share their locks and IDs
 * @param commandTimeout when a call without an answer ends with {@link dev.tenon.OutcomeUnknownException}, {@link
 *     #TIMEOUT_MIN} to {@link #TIMEOUT_MAX}; also the limit for connecting
 * @param replicas how many replicas must have a grant before it counts: see {@link #withReplicas}; 0 to
 *     {@link #REPLICAS_MAX}
 * @param replicaTimeout how long to wait for them; zero without replicas
 */
public record RedisOptions(
        String uri, String keyPrefix, Duration commandTimeout, int replicas, Duration replicaTimeout) {
    /** The shortest command timeout. */
    public static final Duration TIMEOUT_MIN = Duration.ofMillis(10);

    /** The longest command timeout. */
    public static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    /** The most replicas to wait for. */
    public static final int REPLICAS_MAX = 100;

    public RedisOptions {
        Objects.requireNonNull(uri, "uri");
        Names.requireValid("key prefix", keyPrefix);
        // A brace would move the hash tag of the keys, and with it the slot of a cluster.
        if (keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("Key prefix must not contain { or }: " + keyPrefix);
        }
        if (commandTimeout.compareTo(TIMEOUT_MIN) < 0 || commandTimeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    "Command timeout must be between " + TIMEOUT_MIN + " and " + TIMEOUT_MAX + ": " + commandTimeout);
        }
        if (replicas < 0 || replicas > REPLICAS_MAX) {
            throw new IllegalArgumentException("Replicas must be 0 to " + REPLICAS_MAX + ": " + replicas);
        }
        // A call may stand behind another's wait: both, and the way, must fit into the command timeout.
        if (replicas == 0
                ? !replicaTimeout.isZero()
                : replicaTimeout.toMillis() < 1
                        || replicaTimeout.multipliedBy(3).compareTo(commandTimeout) > 0) {
            throw new IllegalArgumentException("The wait for replicas must be 1 ms or more, and at most a third of the"
                    + " command timeout of " + commandTimeout + ": " + replicaTimeout);
        }
    }

    /** The defaults: key prefix {@code tenon}, command timeout 2 seconds. */
    public static RedisOptions of(String uri) {
        return new RedisOptions(uri, "tenon", Duration.ofSeconds(2), 0, Duration.ZERO);
    }

    /** These options with another key prefix. */
    public RedisOptions withKeyPrefix(String newKeyPrefix) {
        return new RedisOptions(uri, newKeyPrefix, commandTimeout, replicas, replicaTimeout);
    }

    /** These options with another command timeout. */
    public RedisOptions withCommandTimeout(Duration newCommandTimeout) {
        return new RedisOptions(uri, keyPrefix, newCommandTimeout, replicas, replicaTimeout);
    }

    /**
     * These options, with every grant on so many replicas before it counts ({@code WAIT}): a lock, a renewal, a range,
     * a worker ID, a fenced write. Where one has granted a lock and fewer replicas have it in time, the lock is given
     * back and the caller gets a {@link dev.tenon.BackendUnavailableException}: nothing is held, it may try again. If
     * it can't be given back either, and for all else, {@link dev.tenon.OutcomeUnknownException}: it happened, and may
     * not last.
     *
     * <p>A fail-over to one of those replicas then loses no grant. With as many as there are, none does; with fewer,
     * one to another replica still may. <a href="https://redis.io/docs/latest/commands/wait/">WAIT</a> takes no round
     * trip of its own, but a second connection, and the time of replication.
     *
     * @param count 1 to {@link #REPLICAS_MAX}, in a cluster for each master
     * @param timeout 1 ms to a third of the command timeout
     */
    public RedisOptions withReplicas(int count, Duration timeout) {
        if (count < 1) {
            throw new IllegalArgumentException("Replicas must be 1 to " + REPLICAS_MAX + ": " + count);
        }
        return new RedisOptions(uri, keyPrefix, commandTimeout, count, timeout);
    }

    /** The URI without user and password, for messages and logs. */
    String address() {
        int at = uri.lastIndexOf('@');
        return at < 0 ? uri : uri.substring(0, uri.indexOf("://") + 3) + uri.substring(at + 1);
    }

    /** Never shows a password. */
    @Override
    public String toString() {
        return "RedisOptions[" + address() + ", keyPrefix=" + keyPrefix + ", commandTimeout=" + commandTimeout
                + (replicas == 0 ? "]" : ", replicas=" + replicas + " within " + replicaTimeout + "]");
    }
}
