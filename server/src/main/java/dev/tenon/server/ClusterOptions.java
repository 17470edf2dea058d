package dev.tenon.server;

import dev.tenon.raft.RaftCluster;
import dev.tenon.raft.RaftSecret;
import dev.tenon.raft.RaftTls;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Which nodes keep everything together, and which of them this one is. */
final class ClusterOptions {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterOptions.class);
    private static final String EXAMPLE = "--peers n1=10.0.0.1:7701,n2=10.0.0.2:7701,n3=10.0.0.3:7701";

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--node", paramLabel = "NAME", description = "Name of this node, one of a cluster of several.")
    private @Nullable String node;

    @Option(
            names = "--peers",
            paramLabel = "NAME=HOST:PORT,…",
            description = "Every node of the cluster, this one too, and where it listens for the others.")
    private @Nullable String peers;

    @Option(
            names = "--election-timeout",
            paramLabel = "D",
            description =
                    "How long the nodes hear nothing of their leader before they elect another (default: PT0.5S).")
    private @Nullable String electionTimeout;

    @Option(
            names = "--peer-tls-cert",
            paramLabel = "FILE",
            description =
                    "Certificate (PEM) that this node shows the others; they are refused unless they show one too.")
    private @Nullable String certificate;

    @Option(names = "--peer-tls-key", paramLabel = "FILE", description = "Its private key (PEM, PKCS#8).")
    private @Nullable String key;

    @Option(
            names = "--peer-tls-ca",
            paramLabel = "FILE",
            description = "Certificates (PEM) of those who sign a node's: whoever has one from them is a node.")
    private @Nullable String trusted;

    @Option(
            names = "--cluster-secret",
            paramLabel = "FILE",
            description =
                    "A file that all nodes share, by which they know each other (\"tenon key cluster FILE\" makes it): TLS "
                            + "between them, without certificates of your own.")
    private @Nullable String secret;

    @Option(
            names = "--insecure-peers",
            description =
                    "Take whoever reaches this node's port for a node, although other machines reach it, or although clients "
                            + "need API keys: he can change and delete everything.")
    private boolean insecurePeers;

    /**
     * The cluster that the options name; empty: this node is alone.
     *
     * @param authenticated whether clients have to show who they are; then nodes have to, too
     */
    Optional<RaftCluster> checked(boolean authenticated) {
        if (node == null && peers == null) {
            if (insecurePeers
                    || Stream.of(electionTimeout, certificate, key, trusted, secret)
                            .anyMatch(Objects::nonNull)) {
                throw wrong(
                        "--election-timeout, --peer-tls-…, --cluster-secret and --insecure-peers are for a cluster: give "
                                + "--node and --peers as well.");
            }
            return Optional.empty();
        }
        if (node == null || peers == null) {
            throw wrong("--node and --peers go together: --node n1 " + EXAMPLE + ".");
        }
        try {
            Map<String, String> all = parsed(peers);
            RaftCluster cluster =
                    new RaftCluster(node, all).withElectionTimeout(timeout().orElse(RaftCluster.ELECTION_TIMEOUT));
            warnOfEven(all.size());
            return Optional.of(protectedBy(cluster, String.valueOf(all.get(node)), authenticated));
        } catch (IllegalArgumentException e) {
            throw wrong("--peers: " + e.getMessage() + ".");
        }
    }

    private RaftCluster protectedBy(RaftCluster cluster, String address, boolean authenticated) {
        Optional<RaftTls> keys = tls();
        if (keys.isPresent() && secret != null) {
            throw wrong(
                    "--cluster-secret and --peer-tls-… exclude each other: nodes know each other by the one or the other.");
        }
        if (keys.isPresent()) {
            PrivateFile.requireUnshared("--peer-tls-key", keys.get().privateKey());
            return cluster.withTls(keys.get());
        }
        if (secret != null) {
            Path file = Path.of(secret);
            RaftSecret shared = readSecret(file);
            PrivateFile.requireUnshared("--cluster-secret", file);
            return cluster.withSecret(shared);
        }
        requireUnreached(address, authenticated);
        return cluster;
    }

    private RaftSecret readSecret(Path file) {
        try {
            return RaftSecret.read(file);
        } catch (IllegalArgumentException e) {
            throw wrong("--cluster-secret: " + e.getMessage() + ". Make one with \"tenon key cluster " + file
                    + "\", and copy it to every node.");
        }
    }

    private Optional<RaftTls> tls() {
        List<Path> files = Stream.of(certificate, key, trusted)
                .filter(Objects::nonNull)
                .map(Path::of)
                .toList();
        if (files.isEmpty()) {
            return Optional.empty();
        }
        if (files.size() < 3) {
            throw wrong("--peer-tls-cert, --peer-tls-key and --peer-tls-ca go together.");
        }
        return Optional.of(new RaftTls(files.get(0), files.get(1), files.get(2)));
    }

    private static Map<String, String> parsed(String text) {
        Map<String, String> all = new TreeMap<>();
        Set<String> addresses = new HashSet<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("each node is NAME=HOST:PORT, not \"" + part + "\": " + EXAMPLE);
            }
            String name = part.substring(0, equals).strip();
            String address = part.substring(equals + 1).strip();
            if (all.put(name, address) != null) {
                throw new IllegalArgumentException("node \"" + name + "\" is named twice");
            }
            if (!addresses.add(address)) {
                throw new IllegalArgumentException("two nodes have the address " + address);
            }
        }
        return all;
    }

    private Optional<Duration> timeout() {
        if (electionTimeout == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Duration.parse(electionTimeout));
        } catch (DateTimeParseException e) {
            throw wrong("--election-timeout must be a duration such as PT0.5S, not \"" + electionTimeout + "\".");
        }
    }

    private void requireUnreached(String address, boolean authenticated) {
        boolean local = isLoopback(address.substring(0, address.lastIndexOf(':')));
        if (insecurePeers || (local && !authenticated)) {
            LOG.warn(
                    "Nodes do not ask who they talk to: {} that reaches {} can change and delete everything, whatever keys clients need. "
                            + "Give each node the same --cluster-secret FILE (\"tenon key cluster FILE\" makes it)",
                    local ? "any process on this machine" : "any machine",
                    address);
            return;
        }
        throw wrong("Refused: " + address
                + (local
                        ? " is reached by every process on this machine, past the keys that clients need,"
                        : " is reachable from other machines,")
                + " and whoever reaches it can change and delete everything. Make a secret with \"tenon key cluster FILE\", copy it to every "
                + "node, and give --cluster-secret FILE; or give --peer-tls-cert, --peer-tls-key and --peer-tls-ca; or say --insecure-peers "
                + "if something else protects it.");
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new StartException(
                    ServerExitCode.ADDRESS,
                    "There is no host \"" + host + "\", where this node is to listen for the others.",
                    e);
        }
    }

    private void warnOfEven(int nodes) {
        if (nodes % 2 == 0) {
            spec.commandLine()
                    .getErr()
                    .println("tenon server: " + nodes + " nodes survive the loss of " + (nodes - 1) / 2
                            + ", no more than " + (nodes - 1) + " do: three or five are better.");
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
