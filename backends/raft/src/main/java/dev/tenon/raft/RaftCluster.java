package dev.tenon.raft;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.RaftPeer;

/**
 * The nodes of a cluster when it begins, and which of them this one is. Once it runs, the cluster itself knows its
 * members.
 *
 * @param node the name of this node: 1 to 64 letters, digits, dashes and dots
 * @param peers the address, {@code host:port}, of every node by its name, this one's included
 * @param electionTimeout how long a follower hears nothing of its leader before it stands for election; up to three
 *     times that, by chance. 50 ms or more. Several times a round trip between nodes and their longest pauses
 * @param tls how the nodes prove to each other who they are, by certificates of an authority
 * @param secret how they do so by a secret that they share. With neither of the two they don't, and whoever reaches the
 *     port of one can do anything, delete all data above all
 */
public record RaftCluster(
        String node,
        Map<String, String> peers,
        Duration electionTimeout,
        Optional<RaftTls> tls,
        Optional<RaftSecret> secret) {
    /** Half a second. */
    public static final Duration ELECTION_TIMEOUT = Duration.ofMillis(500);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9.-]{1,64}");
    private static final Pattern ADDRESS = Pattern.compile("(.+):(\\d{1,5})");
    private static final Duration ELECTION_MIN = Duration.ofMillis(50);

    public RaftCluster {
        Objects.requireNonNull(node, "node");
        peers = Map.copyOf(peers);
        peers.forEach(RaftCluster::peer);
        if (!peers.containsKey(node)) {
            throw new IllegalArgumentException(
                    "Node \"" + node + "\" is not one of the peers " + new TreeMap<>(peers) + ": name it among them");
        }
        if (electionTimeout.compareTo(ELECTION_MIN) < 0) {
            throw new IllegalArgumentException("Election timeout must be 50 ms or more: " + electionTimeout);
        }
        Objects.requireNonNull(tls, "tls");
        Objects.requireNonNull(secret, "secret");
        if (tls.isPresent() && secret.isPresent()) {
            throw new IllegalArgumentException("Nodes know each other by certificates or by a secret, not by both");
        }
    }

    /** Without a secret. */
    public RaftCluster(String node, Map<String, String> peers, Duration electionTimeout, Optional<RaftTls> tls) {
        this(node, peers, electionTimeout, tls, Optional.empty());
    }

    /** With the usual timeout, and without TLS. */
    public RaftCluster(String node, Map<String, String> peers) {
        this(node, peers, ELECTION_TIMEOUT, Optional.empty());
    }

    /** The same, but for the election timeout. */
    public RaftCluster withElectionTimeout(Duration timeout) {
        return new RaftCluster(node, peers, timeout, tls, secret);
    }

    /** The same, with TLS between the nodes. */
    public RaftCluster withTls(RaftTls keys) {
        return new RaftCluster(node, peers, electionTimeout, Optional.of(keys), secret);
    }

    /** The same, with TLS between nodes that share this secret. */
    public RaftCluster withSecret(RaftSecret shared) {
        return new RaftCluster(node, peers, electionTimeout, tls, Optional.of(shared));
    }

    /** How the nodes know each other; empty: they don't. */
    Optional<GrpcTlsConfig> transportSecurity() {
        return secret.map(RaftSecret::config).or(() -> tls.map(RaftTls::config));
    }

    /** Where this node listens for the others. */
    InetSocketAddress listen() {
        return addressOf(address(node));
    }

    /** Where a node is found: {@code host:port}. */
    String address(String name) {
        return Objects.requireNonNull(peers.get(name), "address");
    }

    /**
     * A member, as the engine knows it.
     *
     * @throws IllegalArgumentException if name or address is none
     */
    static RaftPeer peer(String name, String address) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "A node's name has 1 to 64 letters, digits, dashes and dots: \"" + name + "\"");
        }
        addressOf(address);
        return RaftPeer.newBuilder().setId(name).setAddress(address).build();
    }

    private static InetSocketAddress addressOf(String text) {
        var parts = ADDRESS.matcher(text);
        int port = parts.matches() ? Integer.parseInt(parts.group(2)) : 0;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "A node's address is host:port, such as 10.0.0.1:7701: \"" + text + "\"");
        }
        return InetSocketAddress.createUnresolved(parts.group(1), port);
    }
}
