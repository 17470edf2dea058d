package dev.tenon.testkit;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis Cluster of this test's own, or one that all tests of this JVM share: three masters with a third of the slots
 * each, and a replica of each, on free loopback ports. Nothing fails over by itself, however slow the machine is:
 * {@link #failOver} does it. Threads may share it.
 */
public final class RedisCluster implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PACE = Duration.ofMillis(20);
    private static final Once<RedisCluster> SHARED = new Once<>(RedisCluster::start);

    private final List<TestPort> buses = new ArrayList<>();
    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster() {
        for (int i = 0; i < 2 * MASTERS; i++) {
            TestPort bus = TestPort.reserve();
            buses.add(bus);
            // A replica may take over however long it has heard nothing, as one that was cut off would have to.
            nodes.add(RedisServer.ofGroup(List.of(
                    "cluster-enabled yes",
                    "cluster-port " + bus.number(),
                    "cluster-node-timeout " + TIMEOUT_MILLIS,
                    "cluster-replica-validity-factor 0",
                    "cluster-allow-replica-migration no",
                    "cluster-replica-no-failover yes",
                    "repl-diskless-sync-delay 0",
                    "shutdown-timeout 0")));
        }
    }

    /** A new cluster, of which every node knows who has which slots, and every replica is in step with its master. */
    public static RedisCluster start() {
        RedisCluster cluster = new RedisCluster();
        RedisServer.startAll(cluster.nodes);
        try {
            cluster.form();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** One that this JVM starts once; its tests use names of their own, and leave its nodes alone. */
    public static RedisCluster shared() {
        return SHARED.value();
    }

    /** Its address as clients take it, with the masters in it. */
    public String uri() {
        return nodes.stream()
                .limit(MASTERS)
                .map(node -> "127.0.0.1:" + node.socket().getPort())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    /** All nodes: first the three that began as masters, then the replicas of each, in the same order. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The node that has the slot of a key, in the view of the nodes that run. */
    public RedisServer masterOf(String key) {
        long slot = Long.parseLong(any().address().command("CLUSTER", "KEYSLOT", key));
        // Each range as lines: first slot, last slot, and of each node host, port, ID and a list of nothing.
        String[] lines = any().address().command("CLUSTER", "SLOTS").split("\n");
        for (int i = 0; i + 3 < lines.length; i++) {
            if (lines[i + 2].equals("127.0.0.1")
                    && lines[i].matches("\\d+")
                    && lines[i + 1].matches("\\d+")
                    && Long.parseLong(lines[i]) <= slot
                    && slot <= Long.parseLong(lines[i + 1])) {
                return at(Integer.parseInt(lines[i + 3]));
            }
        }
        throw new IllegalStateException("no node has slot " + slot);
    }

    /** The one that follows a master, if it is one, or is followed by it. */
    public RedisServer partnerOf(RedisServer node) {
        return nodes.get((nodes.indexOf(node) + MASTERS) % nodes.size());
    }

    /** Kill -9 of a master, and its replica in its place; returns the replica once all others follow it. */
    public RedisServer failOver(RedisServer master) {
        RedisServer replica = partnerOf(master);
        master.kill();
        replica.address().command("CLUSTER", "FAILOVER", "TAKEOVER");
        String id = replica.address().command("CLUSTER", "MYID");
        for (RedisServer node : nodes) {
            if (node.running()) {
                await().atMost(LIMIT)
                        .pollInterval(PACE)
                        .until(() -> node.address()
                                .command("CLUSTER", "NODES")
                                .lines()
                                .anyMatch(line -> line.startsWith(id) && line.matches(".*\\bmaster\\b.* \\d+-\\d+")));
            }
        }
        return replica;
    }

    @Override
    public void close() {
        RedisServer.closeAll(nodes);
        buses.forEach(TestPort::close);
    }

    private void form() {
        List<String> ids = nodes.stream()
                .map(node -> node.address().command("CLUSTER", "MYID"))
                .toList();
        for (int i = 0; i < MASTERS; i++) {
            RedisAddress master = nodes.get(i).address();
            master.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            master.command(
                    "CLUSTER",
                    "ADDSLOTSRANGE",
                    Integer.toString(i * SLOTS / MASTERS),
                    Integer.toString((i + 1) * SLOTS / MASTERS - 1));
        }
        for (RedisServer from : nodes) {
            for (int to = 0; to < nodes.size(); to++) {
                if (nodes.get(to) != from) {
                    from.address()
                            .command(
                                    "CLUSTER",
                                    "MEET",
                                    "127.0.0.1",
                                    Integer.toString(nodes.get(to).socket().getPort()),
                                    Integer.toString(buses.get(to).number()));
                }
            }
        }
        nodes.forEach(node -> awaitThat(node, nodes.size(), "master"));
        // They serve only after the timeout, 5 s at most, and talk the more often the shorter it is.
        nodes.forEach(node -> timeout(node, 1_000));
        nodes.forEach(node -> awaitThat(node, "CLUSTER INFO", "cluster_state:ok"));
        IntStream.range(0, MASTERS).forEach(i -> follow(nodes.get(i + MASTERS), ids.get(i)));
        nodes.subList(MASTERS, nodes.size())
                .forEach(node -> awaitThat(node, "INFO replication", "master_link_status:up"));
        nodes.forEach(node -> awaitThat(node, MASTERS, "slave"));
        nodes.forEach(node -> timeout(node, TIMEOUT_MILLIS));
    }

    /** Until it is in touch with all, itself included, and knows the role of so many of them. */
    private void awaitThat(RedisServer node, int count, String role) {
        await().atMost(LIMIT).pollInterval(PACE).until(() -> {
            List<String> known = node.address()
                    .command("CLUSTER", "NODES")
                    .lines()
                    .filter(line ->
                            line.contains(" connected") && !line.matches(".*\\b(handshake|fail\\??|noaddr)\\b.*"))
                    .toList();
            return known.size() == nodes.size()
                    && known.stream().filter(line -> line.contains(role)).count() == count;
        });
    }

    private static void timeout(RedisServer node, int millis) {
        node.address().command("CONFIG", "SET", "cluster-node-timeout", Integer.toString(millis));
    }

    private static void follow(RedisServer replica, String master) {
        await().atMost(LIMIT)
                .pollInterval(PACE)
                .ignoreExceptions()
                .until(() -> replica.address()
                        .command("CLUSTER", "REPLICATE", master)
                        .equals("OK"));
    }

    private static void awaitThat(RedisServer node, String question, String line) {
        await().atMost(LIMIT)
                .pollInterval(PACE)
                .until(() -> node.address().command(question.split(" ")).contains(line));
    }

    private RedisServer any() {
        return nodes.stream().filter(RedisServer::running).findFirst().orElseThrow();
    }

    private RedisServer at(int port) {
        return nodes.stream()
                .filter(node -> node.socket().getPort() == port)
                .findFirst()
                .orElseThrow();
    }
}
