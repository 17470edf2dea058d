package dev.tenon.etcd;

import dev.tenon.Names;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How to reach an etcd, and what to call the keys in it.
 *
 * @param endpoints members of one cluster, 1 to {@value #ENDPOINTS_MAX}, each {@code http://host:port} or, for TLS,
 *     {@code https://host:port}; one is used until it fails, then the next
 * @param keyPrefix what every key begins with; processes that share it share their IDs
 * @param commandTimeout when a call without an answer ends, its repetitions included, {@link #TIMEOUT_MIN} to {@link
 *     #TIMEOUT_MAX}; also the limit for connecting
 * @param user for an etcd that asks who one is
 * @param tls for {@code https} endpoints; without it they are trusted as the JDK trusts
 */
public record EtcdOptions(
        List<String> endpoints, String keyPrefix, Duration commandTimeout, Optional<User> user, Optional<Tls> tls) {
    /** The most endpoints. */
    public static final int ENDPOINTS_MAX = 16;

    /** The shortest command timeout. */
    public static final Duration TIMEOUT_MIN = Duration.ofMillis(10);

    /** The longest command timeout. */
    public static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    /**
     * Who to log in as.
     *
     * @param name the user's name in etcd
     * @param password never shown by {@link #toString()}
     */
    public record User(String name, String password) {
        /** Never shows the password. */
        @Override
        public String toString() {
            return "User[" + name + "]";
        }
    }

    /**
     * Certificates, as PEM files.
     *
     * @param authority who has signed the servers' certificates; empty for those that the JDK trusts
     * @param identity this client's own certificate, for an etcd that asks for one
     */
    public record Tls(Optional<Path> authority, Optional<Identity> identity) {}

    /**
     * A client's certificate.
     *
     * @param certificate the chain, as PEM
     * @param key its private key, as PEM in PKCS #8
     */
    public record Identity(Path certificate, Path key) {}

    public EtcdOptions {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty() || endpoints.size() > ENDPOINTS_MAX) {
            throw new IllegalArgumentException("Give 1 to " + ENDPOINTS_MAX + " endpoints, not " + endpoints.size());
        }
        endpoints.forEach(EtcdOptions::address);
        Names.requireValid("key prefix", keyPrefix);
        if (commandTimeout.compareTo(TIMEOUT_MIN) < 0 || commandTimeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    "Command timeout must be between " + TIMEOUT_MIN + " and " + TIMEOUT_MAX + ": " + commandTimeout);
        }
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(tls, "tls");
    }

    /** The defaults: key prefix {@code tenon}, command timeout 2 seconds, no user. */
    public static EtcdOptions of(String... endpoints) {
        return new EtcdOptions(List.of(endpoints), "tenon", Duration.ofSeconds(2), Optional.empty(), Optional.empty());
    }

    /** These options with another key prefix. */
    public EtcdOptions withKeyPrefix(String newKeyPrefix) {
        return new EtcdOptions(endpoints, newKeyPrefix, commandTimeout, user, tls);
    }

    /** These options with another command timeout. */
    public EtcdOptions withCommandTimeout(Duration newCommandTimeout) {
        return new EtcdOptions(endpoints, keyPrefix, newCommandTimeout, user, tls);
    }

    /** These options with a user to log in as. */
    public EtcdOptions withUser(String name, String password) {
        return new EtcdOptions(endpoints, keyPrefix, commandTimeout, Optional.of(new User(name, password)), tls);
    }

    /** These options with certificates. */
    public EtcdOptions withTls(Tls newTls) {
        return new EtcdOptions(endpoints, keyPrefix, commandTimeout, user, Optional.of(newTls));
    }

    /** An endpoint's scheme, host and port. */
    static URI address(String endpoint) {
        URI uri;
        try {
            uri = new URI(endpoint);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("Not http(s)://host:port: " + endpoint, e);
        }
        boolean complete = uri.getHost() != null && uri.getPort() >= 0;
        String bare = uri.getScheme() + "://" + uri.getHost() + ":" + uri.getPort();
        if (!complete || !bare.matches("https?://.*") || !(bare.equals(endpoint) || (bare + "/").equals(endpoint))) {
            throw new IllegalArgumentException("Not http(s)://host:port: " + endpoint);
        }
        return uri;
    }
}
