package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An etcd of three members of this test's own, on free loopback ports. Threads may share it. */
public final class EtcdCluster implements AutoCloseable {
    private static final int MEMBERS = 3;

    private final List<TestPort> peers = new ArrayList<>();
    private final List<EtcdServer> members = new ArrayList<>();

    private EtcdCluster() {
        IntStream.range(0, MEMBERS).forEach(i -> peers.add(TestPort.reserve()));
        String all = IntStream.range(0, MEMBERS)
                .mapToObj(i -> "m" + i + "=" + url(peers.get(i)))
                .collect(Collectors.joining(","));
        for (int i = 0; i < MEMBERS; i++) {
            members.add(EtcdServer.ofGroup("m" + i, url(peers.get(i)), all));
        }
    }

    /** A new cluster that answers. */
    public static EtcdCluster start() {
        EtcdCluster cluster = new EtcdCluster();
        try {
            // None is ready before a majority is there.
            TestServer.sideBySide(cluster.members, EtcdServer::startFirst);
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** Its members. */
    public List<EtcdServer> members() {
        return List.copyOf(members);
    }

    /** Where its members listen for clients. */
    public List<InetSocketAddress> sockets() {
        return members.stream().map(EtcdServer::socket).toList();
    }

    /** The member that leads now. */
    public EtcdServer leader() {
        return members.stream()
                .filter(member -> EtcdAddress.leads(member.socket()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no member leads"));
    }

    @Override
    public void close() {
        members.forEach(EtcdServer::close);
        peers.forEach(TestPort::close);
    }

    private static String url(TestPort port) {
        return "http://127.0.0.1:" + port.number();
    }
}
