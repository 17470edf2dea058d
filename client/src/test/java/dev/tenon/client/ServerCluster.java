package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.raft.RaftSecret;
import dev.tenon.server.TenonServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestPort;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three servers of one cluster, each a process with a folder and a port for clients, and with a line of its own to each
 * of the others that can be cut ({@link ClusterAddresses}).
 */
final class ServerCluster implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(300);
    static final List<String> NAMES = List.of("n1", "n2", "n3");
    private static final List<String> FIVE = List.of("n1", "n2", "n3", "n4", "n5");
    private static final Duration CALL_LIMIT = Duration.ofSeconds(30);
    private static final Duration START_LIMIT = Duration.ofSeconds(180);
    /** Classes of our own build need no verifier. */
    private static final List<String> QUICK_START =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

    private final Path folder;
    private final Shape shape;
    private final Set<String> members;
    private final ClusterAddresses addresses;
    private final Map<String, TestPort> ports = new TreeMap<>();
    private final Map<String, ForkedJvm> running = new TreeMap<>();
    private final Map<String, FaultProxy> lines = new TreeMap<>();
    private final Map<String, FaultProxy> doors = new TreeMap<>();
    private boolean begun;

    /** How a node's process is started. */
    private interface Launch {
        ForkedJvm start(List<String> jvmOptions, String... arguments);
    }

    /**
     * What it is made of.
     *
     * @param names of all nodes that there will ever be, of which the first three begin
     * @param launches how nodes are started that are not as the others, by name
     * @param tls of clients; then they also go through {@linkplain #door doors} that can fail
     */
    private record Shape(List<String> names, Map<String, Launch> launches, Optional<ClusterTls> tls) {}

    private ServerCluster(Path folder, Shape shape) {
        this.folder = folder;
        this.shape = shape;
        this.members = new ConcurrentSkipListSet<>(NAMES);
        this.addresses = new ClusterAddresses(folder, shape.names());
    }

    /** Starts all nodes and waits until they are ready. */
    static ServerCluster start(Path folder) {
        return start(folder, threeWith(Map.of()));
    }

    /**
     * As {@link #start(Path)}, with mutual TLS for clients too, with doors for clients that can fail, and with two
     * names more for nodes that may join.
     *
     * @param clocked those that have wall clocks of their own
     */
    static ServerCluster startGuarded(Path folder, Set<String> clocked) {
        Map<String, Launch> launches = new TreeMap<>();
        clocked.forEach(name -> launches.put(name, ServerCluster::launchWithClock));
        return start(folder, new Shape(FIVE, launches, Optional.of(new ClusterTls(folder))));
    }

    private static Shape threeWith(Map<String, Launch> launches) {
        return new Shape(NAMES, launches, Optional.empty());
    }

    private static ForkedJvm launchWithClock(List<String> jvmOptions, String... arguments) {
        return ForkedJvm.startWithClock(TenonServer.class, jvmOptions, arguments);
    }

    /** As {@link #start(Path)}; one of them has a wall clock of its own. */
    static ServerCluster startWithClock(Path folder, String clocked) {
        return start(folder, threeWith(Map.of(clocked, ServerCluster::launchWithClock)));
    }

    /** As {@link #start(Path)}; one of them has a disk to which a flush takes longer by so much. */
    static ServerCluster startWithSlowDisk(Path folder, String slow, Duration flush) {
        return start(
                folder,
                threeWith(Map.of(
                        slow,
                        (options, arguments) ->
                                ForkedJvm.startWithSlowDisk(flush, TenonServer.class, options, arguments))));
    }

    private static ServerCluster start(Path folder, Shape shape) {
        ServerCluster cluster = new ServerCluster(folder, shape);
        for (String from : shape.names()) {
            TestPort port = TestPort.reserve();
            cluster.ports.put(from, port);
            if (shape.tls().isPresent()) {
                cluster.doors.put(from, FaultProxy.to(port.address()));
            }
            for (String to : shape.names()) {
                if (!from.equals(to)) {
                    cluster.lines.put(
                            from + to, FaultProxy.at(cluster.addresses.seen(from, to), cluster.addresses.seen(to, to)));
                }
            }
        }
        RaftSecret.create(cluster.secret());
        // Side by side: the first one waits for the others anyway.
        NAMES.forEach(cluster::launch);
        cluster.running.values().forEach(ServerCluster::awaitListens);
        NAMES.forEach(cluster::awaitReady);
        cluster.begun = true;
        return cluster;
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

    /** Waits until a node that was launched listens. */
    static void awaitListens(ForkedJvm launched) {
        launched.nextLine(line -> line.startsWith("Tenon listens"), START_LIMIT);
    }

    /** Starts a node, and waits for nothing. */
    ForkedJvm launch(String name) {
        Launch usual = (options, all) -> ForkedJvm.start(TenonServer.class, options, all);
        return launch(name, shape.launches().getOrDefault(name, usual));
    }

    /** As {@link #launch(String)}, on a disk that hangs after so many flushes of a thread. */
    ForkedJvm launchWithHangingDisk(String name, int flushes) {
        return launch(name, (options, all) -> ForkedJvm.startWithHangingDisk(flushes, TenonServer.class, options, all));
    }

    private ForkedJvm launch(String name, Launch launch) {
        Place place = new Place(data(name), ports.get(name), addresses.hosts(name));
        ForkedJvm launched =
                launch.start(jvmOptions(place), arguments(name, place, peers()).toArray(String[]::new));
        running.put(name, launched);
        return launched;
    }

    /**
     * Where a process of a node runs.
     *
     * @param data its folder
     * @param port for clients
     * @param hosts where the names of nodes lead to from there
     */
    record Place(Path data, TestPort port, Path hosts) {}

    /**
     * A place on another machine: the process there has another address than the one that the others know the node by,
     * and reaches the others without lines that can fail.
     */
    Place elsewhere(String name, Path data, TestPort port) {
        return new Place(data, port, addresses.hostsElsewhere(name));
    }

    /**
     * Starts a process that shall be this node, at another place, and waits for nothing. Whoever starts it closes it.
     *
     * @param alone whether it knows of no other node
     */
    ForkedJvm launch(String name, Place place, boolean alone) {
        List<String> peers = alone ? List.of(name) : peers();
        return ForkedJvm.start(
                TenonServer.class,
                jvmOptions(place),
                arguments(name, place, peers).toArray(String[]::new));
    }

    /** A cluster begins when all of its peers are there: the others come later. */
    private List<String> peers() {
        return begun ? shape.names() : NAMES;
    }

    private List<String> jvmOptions(Place place) {
        List<String> options = new ArrayList<>(QUICK_START);
        options.addAll(ForkedJvm.withoutWarnings());
        options.add("-Djdk.net.hosts.file=" + place.hosts());
        options.add("-Dsun.net.inetaddr.ttl=0");
        options.add("-Dlogback.configurationFile=logback.xml"); // as in the release, and not as in tests
        return options;
    }

    private List<String> arguments(String name, Place place, List<String> peers) {
        List<String> arguments = new ArrayList<>(List.of(
                "--data",
                place.data().toString(),
                "--port",
                String.valueOf(place.port().number()),
                "--node",
                name,
                "--peers",
                peers.stream().map(n -> n + "=" + addresses.of(n)).collect(Collectors.joining(",")),
                "--cluster-secret",
                secret().toString()));
        shape.tls().ifPresent(tls -> arguments.addAll(tls.serverArguments()));
        return arguments;
    }

    String address(String name) {
        return addresses.of(name);
    }

    ForkedJvm process(String name) {
        return running.get(name);
    }

    HttpNode client(String name) {
        return client(name, CALL_LIMIT);
    }

    /** For calls that take long, or must not. */
    HttpNode client(String name, Duration timeout) {
        return client(ports.get(name), timeout);
    }

    /** Of a process at another place. */
    HttpNode client(TestPort port, Duration timeout) {
        return new HttpNode(port.number(), timeout, shape.tls().map(ClusterTls::context));
    }

    /** As clients reach them: one first, then the others; those too that do not run. */
    ClientOptions clientOptions(String first) {
        String all = Stream.concat(Stream.of(first), shape.names().stream().filter(n -> !n.equals(first)))
                .map(name -> "127.0.0.1:" + clientPort(name))
                .collect(Collectors.joining(","));
        ClientOptions options = ClientOptions.of(all);
        return shape.tls().map(tls -> options.withTls(tls.options())).orElse(options);
    }

    /** As clients over HTTP reach them. */
    List<HttpNode> clients(Duration timeout) {
        return shape.names().stream()
                .map(name -> new HttpNode(clientPort(name), timeout, shape.tls().map(ClusterTls::context)))
                .toList();
    }

    private int clientPort(String name) {
        return doors.containsKey(name)
                ? doors.get(name).address().getPort()
                : ports.get(name).number();
    }

    /** What clients go through to a node. */
    FaultProxy door(String name) {
        return doors.get(name);
    }

    /** Who is in the cluster; whoever changes its members tells it. */
    Set<String> members() {
        return members;
    }

    /** All names. */
    List<String> names() {
        return shape.names();
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
        return beside(leader()).get(0);
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

    /** The members but one. */
    List<String> beside(String name) {
        return members.stream().filter(n -> !n.equals(name)).toList();
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
        allBut(name).forEach(other -> {
            line(name, other).blackhole();
            line(other, name).blackhole();
        });
    }

    /** What the node asks of the others does not arrive; what they ask of it does. */
    void silence(String name) {
        allBut(name).forEach(other -> line(name, other).blackhole());
    }

    private Stream<String> allBut(String name) {
        return shape.names().stream().filter(n -> !n.equals(name));
    }

    /** The node hears the others, and they hear nothing of it, no answer either. */
    void mute(String name) {
        silence(name);
        allBut(name).forEach(other -> line(other, name).dropReplies());
    }

    /** The others hear the node, and it hears nothing of them, no answer either. */
    void deafen(String name) {
        allBut(name).forEach(other -> {
            line(other, name).blackhole();
            line(name, other).dropReplies();
        });
    }

    /** Where a node takes clients. */
    InetSocketAddress front(String name) {
        return new InetSocketAddress("127.0.0.1", ports.get(name).number());
    }

    void heal() {
        lines.values().forEach(FaultProxy::heal);
        doors.values().forEach(FaultProxy::heal);
    }

    @Override
    public void close() {
        running.values().forEach(ForkedJvm::close);
        new ArrayList<>(lines.values()).forEach(FaultProxy::close);
        doors.values().forEach(FaultProxy::close);
        ports.values().forEach(TestPort::close);
        addresses.close();
    }
}
