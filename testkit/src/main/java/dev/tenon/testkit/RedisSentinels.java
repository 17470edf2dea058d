package dev.tenon.testkit;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A Redis master of this test's own with two replicas and three Sentinels that watch over them, on free loopback ports.
 * Nothing fails over by itself, however slow the machine is: {@link #failOver} does it. Threads may share it.
 */
public final class RedisSentinels implements AutoCloseable {
    private static final String MASTER = "tenon";
    private static final int SENTINELS = 3;
    private static final int REPLICAS = 2;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PACE = Duration.ofMillis(20);
    private static final Once<RedisSentinels> SHARED = new Once<>(RedisSentinels::start);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels() {
        List<String> quick = List.of("repl-diskless-sync-delay 0", "shutdown-timeout 0");
        RedisServer master = RedisServer.ofGroup(quick);
        servers.add(master);
        String at = "127.0.0.1 " + master.socket().getPort();
        for (int i = 0; i < REPLICAS; i++) {
            servers.add(RedisServer.ofGroup(List.of(quick.get(0), quick.get(1), "replicaof " + at)));
        }
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(RedisServer.ofGroup(
                    List.of(
                            "sentinel monitor " + MASTER + " " + at + " 2",
                            "sentinel down-after-milliseconds " + MASTER + " 60000",
                            "sentinel failover-timeout " + MASTER + " 10000"),
                    "--sentinel"));
        }
    }

    /** A new group: the replicas are in step with the master, and each Sentinel knows them and the others. */
    public static RedisSentinels start() {
        RedisSentinels group = new RedisSentinels();
        List<RedisServer> all = group.all();
        RedisServer.startAll(all);
        try {
            group.master();
            await().atMost(LIMIT)
                    .pollInterval(PACE)
                    .until(() -> group.servers
                                    .get(0)
                                    .address()
                                    .command("INFO", "replication")
                                    .split("state=online", -1)
                                    .length
                            == REPLICAS + 1);
            for (RedisServer sentinel : group.sentinels) {
                // They meet sooner, know their replicas well, and take a slow machine for nothing worse than that.
                sentinel.address()
                        .command("SENTINEL DEBUG PUBLISH-PERIOD 100 INFO-PERIOD 1000 TILT-TRIGGER 600000".split(" "));
            }
            for (RedisServer sentinel : group.sentinels) {
                await().atMost(LIMIT)
                        .pollInterval(PACE)
                        .until(() -> sentinel.address()
                                .command("INFO", "sentinel")
                                .contains("slaves=" + REPLICAS + ",sentinels=" + SENTINELS));
            }
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
        return group;
    }

    /** One that this JVM starts once; its tests use names of their own, and leave its servers alone. */
    public static RedisSentinels shared() {
        return SHARED.value();
    }

    /** Its address as clients take it: {@code redis-sentinel://…#tenon}. */
    public String uri() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.socket().getPort())
                .collect(Collectors.joining(",", "redis-sentinel://", "#" + MASTER));
    }

    /** The three data servers, that which began as the master first. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** The master, as the first Sentinel knows it. */
    public RedisServer master() {
        int port = Integer.parseInt(sentinels
                .get(0)
                .address()
                .command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)
                .split("\n")[1]);
        return servers.stream()
                .filter(server -> server.socket().getPort() == port)
                .findFirst()
                .orElseThrow();
    }

    /** Kill -9 of the master, and one of the others in its place; returns that once all Sentinels name it. */
    public RedisServer failOver() {
        RedisServer old = master();
        old.kill();
        return promoted(old);
    }

    /** Another master, though the old one may still run; returns it once all Sentinels name it. */
    public RedisServer promoted(RedisServer old) {
        String port = "\n" + old.socket().getPort();
        await().atMost(LIMIT)
                .pollInterval(PACE)
                .ignoreExceptions()
                .until(() -> sentinels
                        .get(0)
                        .address()
                        .command("SENTINEL", "FAILOVER", MASTER) // refused while it knows too little of the replicas
                        .equals("OK"));
        for (RedisServer sentinel : sentinels) {
            await().atMost(LIMIT)
                    .pollInterval(PACE)
                    .until(() -> !sentinel.address()
                            .command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)
                            .endsWith(port));
        }
        return master();
    }

    @Override
    public void close() {
        RedisServer.closeAll(all());
    }

    private List<RedisServer> all() {
        List<RedisServer> all = new ArrayList<>(servers);
        all.addAll(sentinels);
        return all;
    }
}
