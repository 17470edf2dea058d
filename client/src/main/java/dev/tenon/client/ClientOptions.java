package dev.tenon.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How to reach the servers.
 *
 * @param servers of one cluster, or over one store, 1 to {@value #SERVERS_MAX}, each {@code host:port}; one is used
 *     until it fails, then the next
 * @param callTimeout when a call without an answer ends, its repetitions at other servers included,
 *     {@link #TIMEOUT_MIN} to {@link #TIMEOUT_MAX}; also the limit for connecting
 * @param apiKey sent with each call, for servers that ask who one is; never shown by {@link #toString()}
 * @param tls empty: without TLS
 */
public record ClientOptions(List<String> servers, Duration callTimeout, Optional<String> apiKey, Optional<Tls> tls) {
    /** The most servers. */
    public static final int SERVERS_MAX = 16;

    /** The shortest call timeout. */
    public static final Duration TIMEOUT_MIN = Duration.ofMillis(10);

    /** The longest call timeout. */
    public static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    /**
     * Certificates, as PEM files.
     *
     * @param authority who has signed the servers' certificates; empty for those that the JDK trusts
     * @param identity this client's own certificate, for servers that ask for one
     */
    public record Tls(Optional<Path> authority, Optional<Identity> identity) {
        /** TLS with servers whose certificates this authority has signed. */
        public static Tls trusting(Path authority) {
            return new Tls(Optional.of(authority), Optional.empty());
        }
    }

    /**
     * A client's certificate.
     *
     * @param certificate the chain, as PEM
     * @param key its private key, as PEM in PKCS #8
     */
    public record Identity(Path certificate, Path key) {}

    public ClientOptions {
        servers = List.copyOf(servers);
        if (servers.isEmpty() || servers.size() > SERVERS_MAX) {
            throw new IllegalArgumentException("Give 1 to " + SERVERS_MAX + " servers, not " + servers.size());
        }
        servers.forEach(ServerAddress::of);
        if (callTimeout.compareTo(TIMEOUT_MIN) < 0 || callTimeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    "Call timeout must be between " + TIMEOUT_MIN + " and " + TIMEOUT_MAX + ": " + callTimeout);
        }
        Objects.requireNonNull(apiKey, "apiKey").ifPresent(ClientOptions::requireKey);
        Objects.requireNonNull(tls, "tls");
    }

    /**
     * The defaults: call timeout 5 seconds, no API key, no TLS.
     *
     * @param servers {@code host:port}, with commas between several
     */
    public static ClientOptions of(String servers) {
        List<String> all =
                List.of(servers.split(",", -1)).stream().map(String::strip).toList();
        return new ClientOptions(all, Duration.ofSeconds(5), Optional.empty(), Optional.empty());
    }

    /** These options with another call timeout. */
    public ClientOptions withCallTimeout(Duration newCallTimeout) {
        return new ClientOptions(servers, newCallTimeout, apiKey, tls);
    }

    /** These options with an API key. */
    public ClientOptions withApiKey(String newApiKey) {
        return new ClientOptions(servers, callTimeout, Optional.of(newApiKey), tls);
    }

    /** These options with TLS. */
    public ClientOptions withTls(Tls newTls) {
        return new ClientOptions(servers, callTimeout, apiKey, Optional.of(newTls));
    }

    private static void requireKey(String key) {
        if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("An API key is one word of printable ASCII characters");
        }
    }

    /** Never shows the API key. */
    @Override
    public String toString() {
        return "ClientOptions[" + String.join(",", servers) + ", callTimeout=" + callTimeout
                + (apiKey.isPresent() ? ", with API key" : "") + (tls.isPresent() ? ", with TLS]" : "]");
    }
}
