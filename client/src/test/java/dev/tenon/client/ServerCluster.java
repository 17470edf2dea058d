package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.raft.RaftSecret;
import dev.tenon.server.TenonServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three servers of one cluster, each a process with a folder and a port for clients, and with a line of its own to each of the
 * others that can be cut. All have the same peers, by names; where a name leads to, each is told by a hosts file of its own: to
 * itself at its own loopback address, to the others at those of the proxies that it goes through.
 */
final class ServerCluster implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(120);
    static final List<String> NAMES = List.of("n1", "n2", "n3");
    private static final Duration START_LIMIT = Duration.ofSeconds(180);
    /** Classes of our own build need no verifier. */
    private static final List<String> QUICK_START =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

    private static final int WARNS_SINCE = 24;

    private final Path folder;
    private final Map<String, Launch> launches;
    private final TestPort peerPort = TestPort.reserve();
    private final Map<String, TestPort> ports = new TreeMap<>();
    private final Map<String, ForkedJvm> running = new TreeMap<>();
    private final Map<String, FaultProxy> lines = new TreeMap<>();

    /** How a node's process is started. */
    private interface Launch {
        ForkedJvm start(List<String> jvmOptions, String... arguments);
    }

    private ServerCluster(Path folder, Map<String, Launch> launches) {
        this.folder = folder;
        this.launches = launches;
    }

    /** Starts all nodes and waits until they are ready. */
    static ServerCluster start(Path folder) {
        return start(folder, Map.of());
    }

    /** As {@link #start(Path)}; one of them has a wall clock of its own. */
    static ServerCluster startWithClock(Path folder, String clocked) {
        return start(
                folder,
                Map.of(
                        clocked,
                        (options, arguments) -> ForkedJvm.startWithClock(TenonServer.class, options, arguments)));
    }

    /** As {@link #start(Path)}; one of them has a disk to which a flush takes longer by so much. */
    static ServerCluster startWithSlowDisk(Path folder, String slow, Duration flush) {
        return start(
                folder,
                Map.of(
                        slow,
                        (options, arguments) ->
                                ForkedJvm.startWithSlowDisk(flush, TenonServer.class, options, arguments)));
    }

    private static ServerCluster start(Path folder, Map<String, Launch> launches) {
        ServerCluster cluster = new ServerCluster(folder, launches);
        for (String from : NAMES) {
            cluster.ports.put(from, TestPort.reserve());
            for (String to : NAMES) {
                if (!from.equals(to)) {
                    cluster.lines.put(from + to, FaultProxy.at(cluster.seen(from, to), cluster.seen(to, to)));
                }
            }
            cluster.writeHosts(from);
        }
        RaftSecret.create(cluster.secret());
        // Side by side: the first one waits for the others anyway.
        NAMES.forEach(cluster::launch);
        cluster.running.values().forEach(ServerCluster::awaitListens);
        NAMES.forEach(cluster::awaitReady);
        return cluster;
    }

    /** Where {@code from} believes {@code to} to be. */
    private InetSocketAddress seen(String from, String to) {
        return new InetSocketAddress(host(from, to), peerPort.number());
    }

    private static String host(String from, String to) {
        return "127.0." + (1 + NAMES.indexOf(from)) + "." + (1 + NAMES.indexOf(to));
    }

    private void writeHosts(String from) {
        try {
            StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n127.0.0.1 "
                    + InetAddress.getLocalHost().getHostName() + "\n");
            for (String to : NAMES) {
                hosts.append(host(from, to)).append(' ').append(to).append(".test\n");
            }
            Files.writeString(folder.resolve(from + ".hosts"), hosts);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path secret() {
        return folder.resolve("cluster-secret");
    }

    Path data(String name) {
        return folder.resolve(name);
    }

    /** Starts a node, and waits until it listens. */
    void start(String name) {
        awaitListens(launch(name));
    }

    private static void awaitListens(ForkedJvm launched) {
        launched.nextLine(line -> line.startsWith("Tenon listens"), START_LIMIT);
    }

    /** Starts a node, and waits for nothing. */
    ForkedJvm launch(String name) {
        String[] arguments = arguments(name).toArray(String[]::new);
        Launch usual = (options, all) -> ForkedJvm.start(TenonServer.class, options, all);
        ForkedJvm launched = launches.getOrDefault(name, usual).start(jvmOptions(name), arguments);
        running.put(name, launched);
        return launched;
    }

    private List<String> jvmOptions(String name) {
        List<String> options = new ArrayList<>(QUICK_START);
        if (Runtime.version().feature() >= WARNS_SINCE) {
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        options.add("-Djdk.net.hosts.file=" + folder.resolve(name + ".hosts"));
        options.add("-Dsun.net.inetaddr.ttl=0");
        return options;
    }

    private List<String> arguments(String name) {
        String peers = NAMES.stream()
                .map(n -> n + "=" + n + ".test:" + peerPort.number())
                .collect(Collectors.joining(","));
        return List.of(
                "--data",
                data(name).toString(),
                "--port",
                String.valueOf(ports.get(name).number()),
                "--node",
                name,
                "--peers",
                peers,
                "--cluster-secret",
                secret().toString());
    }

    String address(String name) {
        return name + ".test:" + peerPort.number();
    }

    ForkedJvm process(String name) {
        return running.get(name);
    }

    HttpNode client(String name) {
        return new HttpNode(ports.get(name).number());
    }

    /** For calls that take long. */
    HttpNode client(String name, Duration timeout) {
        return new HttpNode(ports.get(name).number(), timeout);
    }

    /** Where clients reach them: one first, then the others. */
    String addresses(String first) {
        return Stream.concat(Stream.of(first), others(first).stream())
                .map(name -> "127.0.0.1:" + ports.get(name).number())
                .collect(Collectors.joining(","));
    }

    List<Integer> httpPorts() {
        return NAMES.stream().map(n -> ports.get(n).number()).toList();
    }

    void awaitReady(String name) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> client(name).fetch("/readyz").status() == 200);
    }

    void awaitUnready(String name) {
        await().atMost(PATIENCE).until(() -> client(name).fetch("/readyz").status() == 503);
    }

    /** Who leads, as those who are ready know it. */
    String leader() {
        return await().atMost(PATIENCE).until(this::leaderNow, name -> !name.isEmpty());
    }

    private String leaderNow() {
        for (Map.Entry<String, ForkedJvm> node : running.entrySet()) {
            try {
                if (node.getValue().running()
                        && client(node.getKey()).fetch("/readyz").status() == 200) {
                    return client(node.getKey())
                            .fetch("/v1/cluster")
                            .json()
                            .path("leader")
                            .asString("");
                }
            } catch (UncheckedIOException e) {
                // just dying: the next one
            }
        }
        return "";
    }

    String follower() {
        return others(leader()).get(0);
    }

    /** Makes a node the leader that is ready. */
    void lead(String name) {
        await().atMost(PATIENCE)
                .until(() -> client(name)
                                .post("/v1/cluster/leader", "{\"name\":\"" + name + "\"}")
                                .status()
                        == 200);
    }

    static List<String> others(String name) {
        return NAMES.stream().filter(n -> !n.equals(name)).toList();
    }

    /** Kill -9. */
    void kill(String name) {
        running.get(name).kill();
    }

    /** SIGTERM; waits until it has ended, and returns its exit code. */
    int stop(String name) {
        running.get(name).terminate();
        return running.get(name).awaitExit(PATIENCE);
    }

    /** The line that a node uses to reach another one. */
    FaultProxy line(String from, String to) {
        return lines.get(from + to);
    }

    /** Nothing reaches the node, and nothing comes from it. */
    void isolate(String name) {
        others(name).forEach(other -> {
            line(name, other).blackhole();
            line(other, name).blackhole();
        });
    }

    /** What the node asks of the others does not arrive; what they ask of it does. */
    void silence(String name) {
        others(name).forEach(other -> line(name, other).blackhole());
    }

    void heal() {
        lines.values().forEach(FaultProxy::heal);
    }

    @Override
    public void close() {
        running.values().forEach(ForkedJvm::close);
        new ArrayList<>(lines.values()).forEach(FaultProxy::close);
        ports.values().forEach(TestPort::close);
        peerPort.close();
    }
}
