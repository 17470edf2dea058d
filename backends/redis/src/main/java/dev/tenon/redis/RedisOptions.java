package dev.tenon.redis;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Objects;

/**
 * How to reach a Redis, and what to call the keys in it.
 *
 * @param uri {@code redis://[user:password@]host[:port][/database]}, or {@code rediss://…} for TLS
 * @param keyPrefix what every key and channel begins with; processes that share it share their locks and IDs
 * @param commandTimeout when a call without an answer ends with {@link dev.tenon.OutcomeUnknownException}, {@link
 *     #TIMEOUT_MIN} to {@link #TIMEOUT_MAX}; also the limit for connecting
 */
public record RedisOptions(String uri, String keyPrefix, Duration commandTimeout) {
    /** The shortest command timeout. */
    public static final Duration TIMEOUT_MIN = Duration.ofMillis(10);

    /** The longest command timeout. */
    public static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

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
    }

    /** The defaults: key prefix {@code tenon}, command timeout 2 seconds. */
    public static RedisOptions of(String uri) {
        return new RedisOptions(uri, "tenon", Duration.ofSeconds(2));
    }

    /** These options with another key prefix. */
    public RedisOptions withKeyPrefix(String newKeyPrefix) {
        return new RedisOptions(uri, newKeyPrefix, commandTimeout);
    }

    /** These options with another command timeout. */
    public RedisOptions withCommandTimeout(Duration newCommandTimeout) {
        return new RedisOptions(uri, keyPrefix, newCommandTimeout);
    }

    /** The URI without user and password, for messages and logs. */
    String address() {
        int at = uri.lastIndexOf('@');
        return at < 0 ? uri : uri.substring(0, uri.indexOf("://") + 3) + uri.substring(at + 1);
    }

    /** Never shows a password. */
    @Override
    public String toString() {
        return "RedisOptions[" + address() + ", keyPrefix=" + keyPrefix + ", commandTimeout=" + commandTimeout + "]";
    }
}
