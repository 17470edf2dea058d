package dev.tenon.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * One tree of a ZooKeeper server.
 *
 * @param host the server's host
 * @param port its port
 * @param root the path of the tree's root, which need not exist yet; empty for the server's whole tree
 */
public record ZooKeeperAddress(String host, int port, String root) {
    private static final int TIMEOUT_MILLIS = 5_000;

    /** The address as clients take it: {@code host:port/root}. */
    public String connectString() {
        return host + ":" + port + root;
    }

    /** The server's address, for a {@link FaultProxy} to it. */
    public InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }

    /** The same tree by another way, such as through a {@link FaultProxy}. */
    public ZooKeeperAddress at(InetSocketAddress way) {
        return new ZooKeeperAddress(way.getHostString(), way.getPort(), root);
    }

    /** Another tree of the same server, which nobody has used. */
    public ZooKeeperAddress newRoot() {
        return new ZooKeeperAddress(host, port, "/tenon-test-" + UUID.randomUUID());
    }

    /** Whether the server at the address serves clients, and does not only accept connections. */
    static boolean serves(InetSocketAddress address) {
        return status(address).contains("\nMode: ");
    }

    /** Whether the server at the address leads an ensemble. */
    static boolean leads(InetSocketAddress address) {
        return status(address).contains("\nMode: leader");
    }

    private static String status(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), TIMEOUT_MILLIS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
