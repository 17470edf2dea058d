package dev.tenon.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Three nodes in this process, for all tests of a class, those of the classes in it too. */
final class ThreeNodes implements BeforeAllCallback, AfterAllCallback {
    private final Duration electionTimeout;
    private Path folder;
    private TestCluster cluster;

    /** Whose leader stays even where the machine is busy. */
    ThreeNodes() {
        this(Duration.ofSeconds(3));
    }

    ThreeNodes(Duration electionTimeout) {
        this.electionTimeout = electionTimeout;
    }

    /** The one that leads, when asked. */
    RaftBackend leader() {
        return cluster.node(cluster.leader());
    }

    RaftBackend follower() {
        return cluster.node(cluster.follower());
    }

    TestCluster cluster() {
        return cluster;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (isNested(context)) {
            return;
        }
        folder = Files.createTempDirectory("tenon-cluster");
        cluster = TestCluster.of(folder, 3)
                .with((RaftCluster nodes) -> nodes.withElectionTimeout(electionTimeout))
                .start();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (!isNested(context)) {
            cluster.close();
            RaftNode.delete(folder);
        }
    }

    private static boolean isNested(ExtensionContext context) {
        return context.getRequiredTestClass().isAnnotationPresent(Nested.class);
    }
}
