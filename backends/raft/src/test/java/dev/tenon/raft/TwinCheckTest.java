package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TenonException;
import dev.tenon.testkit.ServerData;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process with a copy of a node's folder does not take part while the node does. */
class TwinCheckTest {
    private static final Duration ELECTION = Duration.ofMillis(100);
    /** What says nothing for longer is taken for gone, and a busy machine stands still for a second. */
    private static final Duration PATIENT = Duration.ofSeconds(3);

    private static final Duration LONG_AGO = Duration.ofSeconds(3);

    @TempDir
    private Path folder;

    private TwinCheck check(TwinCheck.Peers peers) {
        RaftCluster cluster =
                new RaftCluster("n1", Map.of("n1", "a:1", "n2", "b:1", "n3", "c:1")).withElectionTimeout(ELECTION);
        return new TwinCheck(folder, cluster, peers);
    }

    @Test
    void whoIsHeardAgainAndAgainIsAnother() {
        TwinCheck twin = check(peer -> peer.equals("n3") ? Optional.of(Duration.ofMillis(1)) : Optional.empty());
        assertThatThrownBy(twin::run)
                .isInstanceOf(DataFolderException.class)
                .hasMessageContainingAll("Another process is node n1", "node n3", folder.toString());
    }

    @Test
    void whoWasHeardBeforeIsThisNode() {
        assertThatCode(check(peer -> Optional.of(LONG_AGO))::run).doesNotThrowAnyException();
        assertThatCode(check(peer -> Optional.empty())::run).doesNotThrowAnyException();
    }

    @Test
    void aWordThatWasOnItsWayIsNoProof() {
        long begun = System.nanoTime();
        TwinCheck late = check(
                peer -> Optional.of(Duration.ofNanos(System.nanoTime() - begun).minusMillis(10)));
        assertThatCode(late::run).doesNotThrowAnyException();
    }

    @Test
    void aCopyOfAFolderDoesNotStartBesideItsNode() throws IOException {
        try (TestCluster cluster = TestCluster.of(folder.resolve("cluster"), 3)
                        .with(node -> node.withElectionTimeout(PATIENT))
                        .start();
                TestPort elsewhere = TestPort.reserve()) {
            for (String name : Stream.of(cluster.leader(), cluster.follower()).toList()) {
                Path copied = folder.resolve(name + ".copy");
                ServerData.copy(cluster.folder(name), copied);
                Map<String, String> peers = new TreeMap<>(cluster.peersOf(name));
                peers.put(name, "127.0.0.1:" + elsewhere.number());
                RaftCluster twin = new RaftCluster(name, peers).withElectionTimeout(PATIENT);
                assertThatThrownBy(() -> RaftBackend.open(copied, RaftOptions.DEFAULT.withCluster(twin)))
                        .isInstanceOf(DataFolderException.class)
                        .hasMessageContaining("Another process is node " + name);
                cluster.stop(name);
                cluster.open(name);
                soon().ignoreExceptionsInstanceOf(TenonException.class)
                        .until(() ->
                                cluster.node(name).ranges().next("orders", 10).count() == 10);
            }
            assertThat(cluster.names()).hasSize(3);
        }
    }
}
