package dev.tenon.testkit;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A part of an etcd: what a test there may call its own. etcd has no databases, so it is a beginning of keys.
 *
 * @param host the server's host
 * @param port the port at which it serves clients
 * @param keyPrefix what all keys of the test begin with
 */
public record EtcdAddress(String host, int port, String keyPrefix) {
    private static final int TIMEOUT_MILLIS = 5_000;

    /** The address as clients take it: {@code http://host:port}. */
    public String endpoint() {
        return "http://" + host + ":" + port;
    }

    /** The server's address, for a {@link FaultProxy} to it. */
    public InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }

    /** The same keys by another way, such as through a {@link FaultProxy}. */
    public EtcdAddress at(InetSocketAddress way) {
        return new EtcdAddress(way.getHostString(), way.getPort(), keyPrefix);
    }

    /** Whether etcd says that it has a leader and can write. */
    static boolean answersHealthy(InetSocketAddress address) {
        return fetch(address, "/health").contains("\"health\":\"true\"");
    }

    /** Whether etcd says that it is the leader itself. */
    static boolean leads(InetSocketAddress address) {
        return fetch(address, "/metrics").lines().anyMatch("etcd_server_is_leader 1"::equals);
    }

    /** What it answers; nothing if it does not. */
    private static String fetch(InetSocketAddress address, String path) {
        try {
            URI uri = URI.create("http://" + address.getHostString() + ":" + address.getPort() + path);
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            try {
                return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return "";
        }
    }
}
