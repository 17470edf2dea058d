package dev.tenon.server;

import dev.tenon.server.backend.ClusterAdmin;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;

/** Nodes by name only. */
final class MemoryCluster implements ClusterAdmin {
    private final Map<String, String> members =
            new ConcurrentSkipListMap<>(Map.of("n1", "127.0.0.1:7711", "n2", "127.0.0.1:7712", "n3", "127.0.0.1:7713"));
    private volatile String leader = "n1";

    @Override
    public View view() {
        return new View(
                "n1",
                Optional.of(leader),
                1,
                14,
                OptionalLong.of(7),
                members.entrySet().stream()
                        .map(m -> new Member(m.getKey(), m.getValue(), OptionalLong.of(14)))
                        .toList());
    }

    @Override
    public boolean takesMembers() {
        return true;
    }

    @Override
    public void add(String name, String address) {
        members.put(name, address);
    }

    @Override
    public void remove(String name) {
        if (members.size() == 1) {
            throw new IllegalArgumentException("Node \"" + name + "\" is the last one");
        }
        members.remove(name);
    }

    @Override
    public void transfer(String name) {
        leader = name;
    }

    @Override
    public void handOver() {
        // nobody is there
    }
}
