package dev.tenon.raft;

import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.testkit.TestPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;

/** Nodes of one cluster in this process, each with a folder and a port of its own, and the network between them. */
final class TestCluster implements AutoCloseable {
    /** What stands still for longer may find another leader when it goes on. */
    static final Duration ELECTION = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<String, TestPort> ports = new ConcurrentHashMap<>();
    private final Map<String, RaftBackend> running = new ConcurrentHashMap<>();
    private final TestNetwork network = new TestNetwork();
    private final Path folder;
    private final List<String> first;
    private UnaryOperator<RaftCluster> adjustment = UnaryOperator.identity();
    private RaftOptions options = RaftOptions.DEFAULT;

    private TestCluster(Path folder, int nodes) {
        this.folder = folder;
        this.first = IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toList();
    }

    /** None is started. */
    static TestCluster of(Path folder, int nodes) {
        return new TestCluster(folder, nodes);
    }

    TestCluster with(RaftOptions how) {
        options = how;
        return this;
    }

    TestCluster with(UnaryOperator<RaftCluster> change) {
        adjustment = change;
        return this;
    }

    /**
     * Starts all, and waits until somebody leads and each has some of the log: who has none yet can't vote against what
     * is committed, and with one of two others gone there would be no leader.
     */
    TestCluster start() {
        first.forEach(this::open);
        leader();
        soon().until(() -> first.stream().allMatch(this::hasEntries));
        return this;
    }

    boolean hasEntries(String name) {
        return node(name)
                .node()
                .division()
                .filter(here -> here.getRaftLog().getNextIndex() > 0)
                .isPresent();
    }

    /** Starts a node, with the first ones and itself as peers. */
    RaftBackend open(String name) {
        return open(name, folder.resolve(name));
    }

    RaftBackend open(String name, Path data) {
        RaftCluster cluster = adjustment.apply(new RaftCluster(name, peersOf(name)).withElectionTimeout(ELECTION));
        RaftBackend node = RaftBackend.open(data, options.withCluster(cluster));
        running.put(name, node);
        network.add(name, node.node().client());
        return node;
    }

    Map<String, String> peersOf(String name) {
        Map<String, String> peers = new TreeMap<>();
        first.forEach(node -> peers.put(node, address(node)));
        peers.put(name, address(name));
        return peers;
    }

    String address(String name) {
        return "127.0.0.1:"
                + ports.computeIfAbsent(name, any -> TestPort.reserve()).number();
    }

    Path folder(String name) {
        return folder.resolve(name);
    }

    RaftBackend node(String name) {
        return Optional.ofNullable(running.get(name)).orElseThrow();
    }

    Set<String> names() {
        return Set.copyOf(running.keySet());
    }

    void stop(String name) {
        Optional.ofNullable(running.remove(name)).ifPresent(RaftBackend::close);
    }

    TestNetwork network() {
        return network;
    }

    /** Who leads, as soon as somebody does. */
    String leader() {
        return leader(running.keySet());
    }

    /** Who of these leads, and has everything that earlier leaders left, as soon as somebody does. */
    String leader(Collection<String> among) {
        return soon().until(
                        () -> among.stream()
                                .filter(running::containsKey)
                                .filter(name -> node(name)
                                        .node()
                                        .division()
                                        .filter(here -> here.getInfo().isLeaderReady())
                                        .isPresent())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    String follower() {
        String leader = leader();
        return running.keySet().stream()
                .filter(name -> !name.equals(leader))
                .sorted()
                .findFirst()
                .orElseThrow();
    }

    /** For conditions that hold after a while; meanwhile there may be no leader. */
    static ConditionFactory soon() {
        return await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsMatching(error ->
                        error instanceof BackendUnavailableException || error instanceof OutcomeUnknownException);
    }

    @Override
    public void close() {
        network.heal();
        names().forEach(this::stop);
        network.close();
        ports.values().forEach(TestPort::close);
    }
}
