package dev.tenon.zookeeper;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.apache.zookeeper.common.PathUtils;

/**
 * How to reach a ZooKeeper, and where to keep things in it. Immutable.
 *
 * @param basePath the node below which everything is kept; processes that share it share their IDs. It is made, with
 *     its parents, where it is missing
 * @param requestTimeout when a call without an answer ends, {@link #TIMEOUT_MIN} to {@link #TIMEOUT_MAX}; also the
 *     limit for connecting, and for waiting for a connection that is down
 * @param sessionTimeout after how long without a word the server ends the session, {@link #TIMEOUT_MIN} to {@link
 *     #TIMEOUT_MAX}; the server may choose another within its own bounds. A connection that has been silent for two
 *     thirds of it is replaced
 * @param credentials {@code user:password} for the scheme {@code digest}: the nodes that are made are then this user's
 *     alone. Empty: they are open to all
 */
public record ZooKeeperOptions(
        String basePath, Duration requestTimeout, Duration sessionTimeout, Optional<String> credentials) {
    /** The shortest timeout. */
    public static final Duration TIMEOUT_MIN = Duration.ofMillis(10);

    /** The longest timeout. */
    public static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    /**
     * The defaults: base path {@code /tenon}, request timeout 5 seconds, session timeout 15 seconds, no credentials.
     */
    public static final ZooKeeperOptions DEFAULT =
            new ZooKeeperOptions("/tenon", Duration.ofSeconds(5), Duration.ofSeconds(15), Optional.empty());

    public ZooKeeperOptions {
        PathUtils.validatePath(basePath);
        if (basePath.equals("/")) {
            throw new IllegalArgumentException("Base path must not be the root; the default is /tenon");
        }
        requireTimeout("Request timeout", requestTimeout);
        requireTimeout("Session timeout", sessionTimeout);
        Objects.requireNonNull(credentials, "credentials");
        credentials.ifPresent(given -> {
            if (given.indexOf(':') < 1) {
                throw new IllegalArgumentException("Credentials must be user:password");
            }
        });
    }

    /** These options with another base path. */
    public ZooKeeperOptions withBasePath(String newBasePath) {
        return new ZooKeeperOptions(newBasePath, requestTimeout, sessionTimeout, credentials);
    }

    /** These options with another request timeout. */
    public ZooKeeperOptions withRequestTimeout(Duration newRequestTimeout) {
        return new ZooKeeperOptions(basePath, newRequestTimeout, sessionTimeout, credentials);
    }

    /** These options with another session timeout. */
    public ZooKeeperOptions withSessionTimeout(Duration newSessionTimeout) {
        return new ZooKeeperOptions(basePath, requestTimeout, newSessionTimeout, credentials);
    }

    /** These options with a user and password, as {@code user:password}. */
    public ZooKeeperOptions withCredentials(String newCredentials) {
        return new ZooKeeperOptions(basePath, requestTimeout, sessionTimeout, Optional.of(newCredentials));
    }

    /** Never shows a password. */
    @Override
    public String toString() {
        return "ZooKeeperOptions[" + basePath + ", requestTimeout=" + requestTimeout + ", sessionTimeout="
                + sessionTimeout + ", " + (credentials.isPresent() ? "with" : "without") + " credentials]";
    }

    private static void requireTimeout(String what, Duration timeout) {
        if (timeout.compareTo(TIMEOUT_MIN) < 0 || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    what + " must be between " + TIMEOUT_MIN + " and " + TIMEOUT_MAX + ": " + timeout);
        }
    }
}
