package dev.tenon.raft;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.util.CodeInjectionForTesting;

/** The lines between the nodes of this process, which can be cut, each way for itself. */
final class TestNetwork implements AutoCloseable {
    private static final String SERVER = "RaftServerImpl.";
    private static final List<String> POINTS = List.of(
            SERVER + "requestVote",
            SERVER + "appendEntries",
            SERVER + "installSnapshot",
            SERVER + "startLeaderElection",
            SERVER + "appendTransaction");

    private final Set<Line> cut = ConcurrentHashMap.newKeySet();
    private final Map<ClientId, String> clients = new ConcurrentHashMap<>();

    private record Line(String from, String to) {}

    TestNetwork() {
        POINTS.forEach(point -> CodeInjectionForTesting.put(point, (local, remote, arguments) -> {
            require(local.toString(), remote);
            return false;
        }));
    }

    /** Lets the network know whose entries come from a client. */
    void add(String name, ClientId client) {
        clients.put(client, name);
    }

    void cut(String from, String to) {
        cut.add(new Line(from, to));
    }

    /** Cuts a node off from others, both ways. */
    void isolate(String node, Collection<String> others) {
        others.stream().filter(other -> !other.equals(node)).forEach(other -> {
            cut(node, other);
            cut(other, node);
        });
    }

    /** Mends the line between two, both ways. */
    void mend(String node, String other) {
        cut.remove(new Line(node, other));
        cut.remove(new Line(other, node));
    }

    void heal() {
        cut.clear();
    }

    @Override
    public void close() {
        POINTS.forEach(CodeInjectionForTesting::remove);
    }

    private void require(String local, Object remote) {
        String from = remote instanceof ClientId client
                ? clients.getOrDefault(client, "")
                : FolderVersion.nameOf(String.valueOf(remote));
        if (cut.contains(new Line(from, FolderVersion.nameOf(local)))) {
            throw new IllegalStateException("No line from " + from + " to " + local);
        }
    }
}
