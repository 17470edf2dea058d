package dev.tenon.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A ZooKeeper of three servers of this test's own, on free loopback ports. Threads may share it. */
public final class ZooKeeperEnsemble implements AutoCloseable {
    private static final int SERVERS = 3;

    private final List<TestPort> ports = new ArrayList<>();
    private final List<ZooKeeperServer> servers = new ArrayList<>();

    private ZooKeeperEnsemble() {
        List<String> all = new ArrayList<>();
        for (int number = 1; number <= SERVERS; number++) {
            TestPort quorum = TestPort.reserve();
            TestPort election = TestPort.reserve();
            ports.addAll(List.of(quorum, election));
            all.add("server." + number + "=127.0.0.1:" + quorum.number() + ":" + election.number());
        }
        for (int number = 1; number <= SERVERS; number++) {
            servers.add(ZooKeeperServer.ofEnsemble(number, all));
        }
    }

    /** A new ensemble that answers. */
    public static ZooKeeperEnsemble start() {
        ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble();
        try {
            // None serves before a majority is there.
            TestServer.sideBySide(ensemble.servers, ZooKeeperServer::startFirst);
        } catch (RuntimeException e) {
            ensemble.close();
            throw e;
        }
        return ensemble;
    }

    /** Its servers. */
    public List<ZooKeeperServer> servers() {
        return List.copyOf(servers);
    }

    /** Does something to all servers at the same time; none that is started serves before a majority is. */
    public void all(Consumer<ZooKeeperServer> step) {
        TestServer.sideBySide(servers, step);
    }

    /** The server that leads now. */
    public ZooKeeperServer leader() {
        return servers.stream()
                .filter(server -> server.running() && ZooKeeperAddress.leads(server.socket()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no server leads"));
    }

    /** The addresses of all, as clients take them. */
    public String connectString() {
        return servers.stream().map(server -> server.address().connectString()).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        servers.forEach(ZooKeeperServer::close);
        ports.forEach(TestPort::close);
    }
}
