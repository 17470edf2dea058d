package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Five nodes, one that becomes three, and the first start. */
class ClusterSizesTest {
    @TempDir
    private Path folder;

    @Test
    void fiveNodesBearTheLossOfTwoAndNotOfThree() {
        try (TestCluster cluster = TestCluster.of(folder, 5).start()) {
            long last = next(cluster, "n5", 0);
            cluster.stop(cluster.leader());
            cluster.stop(cluster.leader());
            List<String> left = List.copyOf(cluster.names());
            last = next(cluster, left.get(0), last);
            next(cluster, left.get(2), last);
            cluster.stop(left.get(2));
            for (int i = 0; i < 2; i++) {
                RaftBackend node = cluster.node(left.get(i));
                assertThatThrownBy(() -> node.ranges().next("orders", 1))
                        .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
            }
        }
    }

    @Test
    void aClusterOfOneBecomesThree() {
        try (TestCluster cluster = TestCluster.of(folder, 1).start()) {
            long last = next(cluster, "n1", 0);
            for (int i = 2; i <= 3; i++) {
                String name = "n" + i;
                cluster.open(name);
                soon().until(() -> cluster.node(name).node().division().isPresent());
                soon().until(() -> {
                    cluster.node("n1").members().add(name, cluster.address(name));
                    return true;
                });
                last = next(cluster, name, last);
            }
            cluster.stop("n1");
            last = next(cluster, "n2", last);
            cluster.open("n1");
            next(cluster, "n1", last);
        }
    }

    @Test
    void aFolderOfOneThatIsAloneIsNotTakenForOneOfACluster() {
        try (RaftBackend alone = RaftBackend.open(folder.resolve("n1"), RaftOptions.DEFAULT)) {
            assertThatThrownBy(() -> alone.members().add("n2", "127.0.0.1:1")).hasMessageContaining("is alone");
        }
        try (TestCluster cluster = TestCluster.of(folder, 1)) {
            assertThatThrownBy(() -> cluster.open("n1"))
                    .isInstanceOf(DataFolderException.class)
                    .hasMessageContaining("is alone");
        }
    }

    @Test
    void aClusterBeginsWhenAllOfItIsThere() {
        try (TestCluster cluster = TestCluster.of(folder, 3)) {
            cluster.open("n1");
            cluster.open("n2");
            for (String name : List.of("n1", "n2")) {
                soon().untilAsserted(() -> assertThatThrownBy(
                                () -> cluster.node(name).ranges().next("orders", 1))
                        .isInstanceOf(BackendUnavailableException.class)
                        .hasMessageContaining("n3 (" + cluster.address("n3") + ") does not answer"));
                assertThat(cluster.node(name).members().view().leader()).isEmpty();
            }
            cluster.stop("n2");
            assertThatThrownBy(() -> cluster.open("n3", folder.resolve("n2")))
                    .isInstanceOf(DataFolderException.class)
                    .hasMessageContaining("belongs to node n2");
            cluster.open("n2");
            cluster.open("n3");
            IntStream.rangeClosed(1, 3).forEach(i -> next(cluster, "n" + i, 0));
        }
    }

    private static long next(TestCluster cluster, String name, long last) {
        long first = soon().until(() -> cluster.node(name).ranges().next("orders", 10), any -> true)
                .first();
        assertThat(first).isGreaterThan(last);
        return first;
    }
}
