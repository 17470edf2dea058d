package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with the folder of another cluster does not answer from it. */
class GroupCheckTest {
    private static final UUID OWN = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();

    @TempDir
    private Path folder;

    private final Map<String, UUID> groups = new TreeMap<>();

    private Set<String> members = Set.of("a:1");

    private boolean check() {
        RaftCluster cluster = new RaftCluster("n1", Map.of("n1", "a:1", "n2", "b:1", "n3", "c:1"));
        GroupCheck.Peers peers = new GroupCheck.Peers() {
            @Override
            public Optional<UUID> groupOf(String name) {
                return Optional.ofNullable(groups.get(name));
            }

            @Override
            public Set<String> members() {
                return members;
            }
        };
        return new GroupCheck(folder, cluster, OWN, peers).runOnce();
    }

    @Test
    void oneInTheSameGroupIsEnough() {
        groups.put("n2", OTHER);
        groups.put("n3", OWN);
        assertThat(check()).isTrue();
    }

    @Test
    void whereNobodyAnswersNothingIsKnown() {
        assertThat(check()).isFalse();
        groups.put("n1", OTHER); // itself is not asked
        assertThat(check()).isFalse();
    }

    @Test
    void whereAllWhoAnswerAreInAnotherTheFolderIsNotThisNodes() {
        groups.put("n3", OTHER);
        assertThatThrownBy(this::check)
                .isInstanceOf(DataFolderException.class)
                .hasMessageContainingAll("another cluster than node n3 at c:1", "empty one, and add it");
    }

    @Test
    void aMemberThatIsInAnotherGroupIsTheOneWithTheWrongFolder() {
        members = Set.of("a:1", "b:1", "c:1");
        groups.put("n3", OTHER);
        assertThat(check()).isFalse();
    }

    /** A cluster of one, which needs no majority, at the address of a node of another cluster. */
    private Path folderOfOne(String name, String address) throws IOException {
        Path data = folder.resolve("others");
        RaftCluster alone = new RaftCluster(name, Map.of(name, address)).withElectionTimeout(TestCluster.ELECTION);
        try (RaftBackend one = RaftBackend.open(data, RaftOptions.DEFAULT.withCluster(alone))) {
            soon().ignoreExceptionsInstanceOf(BackendUnavailableException.class)
                    .until(() -> one.ranges().next("orders", 10).count() == 10);
        }
        assertThat(Files.exists(data.resolve("VERSION"))).isTrue();
        return data;
    }

    @Test
    void aNodeDoesNotStartWithTheFolderOfAnotherCluster() throws IOException {
        try (TestCluster cluster = TestCluster.of(folder.resolve("cluster"), 3).start()) {
            cluster.stop("n3");
            Path others = folderOfOne("n3", cluster.address("n3"));
            assertThatThrownBy(() -> cluster.open("n3", others))
                    .isInstanceOf(DataFolderException.class)
                    .hasMessageContaining("another cluster");
            cluster.open("n3");
            soon().ignoreExceptionsInstanceOf(BackendUnavailableException.class)
                    .until(() -> cluster.node("n3").ranges().next("orders", 10).count() == 10);
        }
    }

    @Test
    void oneThatStartedFirstEndsWhenItHearsOfTheOthers() throws IOException {
        try (TestCluster cluster = TestCluster.of(folder.resolve("cluster"), 3).start()) {
            for (String name : cluster.names()) {
                cluster.stop(name);
            }
            cluster.open("n3", folderOfOne("n3", cluster.address("n3")));
            cluster.open("n1");
            cluster.open("n2");
            soon().until(() -> {
                try {
                    cluster.node("n3").ranges().next("orders", 10);
                    return false;
                } catch (BackendUnavailableException e) {
                    return String.valueOf(e.getMessage()).contains("another cluster");
                }
            });
        }
    }
}
