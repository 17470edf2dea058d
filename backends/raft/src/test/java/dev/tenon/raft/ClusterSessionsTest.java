package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.testkit.RecordedEvents;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of three nodes, one of which hears nothing of their ends, as a snapshot takes the place of the entries. */
class ClusterSessionsTest implements PunctualScenario {
    private static final Duration TTL = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    private TestCluster cluster;
    private int clusters;

    @Override
    public Duration inTime() {
        return TestCluster.ELECTION;
    }

    /** All nodes are in this process. */
    @Override
    public Object askStore() {
        return "";
    }

    @Override
    public void startAnew() {
        stop();
        start();
    }

    @BeforeEach
    void start() {
        cluster = TestCluster.of(folder.resolve(String.valueOf(clusters++)), 3)
                .with(RaftOptions.DEFAULT.withSnapshotLogBytes(30_000))
                .start();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void aNodeThatIsBroughtUpToDateByASnapshotTellsOfTheSessionsThatAreGone() {
        String away = cluster.follower();
        RecordedEvents gone = new RecordedEvents();
        RecordedEvents alive = new RecordedEvents();
        open(away, "gone", gone);
        open(away, "alive", alive);
        cluster.network().isolate(away, List.of("n1", "n2", "n3"));

        String here = cluster.leader(
                cluster.names().stream().filter(name -> !name.equals(away)).toList());
        soon().until(() -> cluster.node(here)
                .lockStore()
                .closeSession("gone")
                .thenApply(none -> true)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS));
        List<Release> large = Collections.nCopies(2000, new Release("x".repeat(200), 1));
        for (int i = 0; i < 12; i++) { // a segment of the log has 4 MB, and goes as a whole
            soon().until(() -> cluster.node(here)
                            .lockStore()
                            .release(large)
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS)
                    != null);
        }
        soon().until(() -> firstLogIndex(here) > 1);
        assertThat(gone.lostSessions()).isEmpty();

        cluster.network().heal();
        soon().until(() -> gone.lostSessions().contains("gone"));
        assertThat(gone.closedSessions()).as("told by the entry").isEmpty();
        assertThat(alive.lostSessions()).isEmpty();
        assertThat(alive.closedSessions()).isEmpty();
        soon().until(() -> cluster.node(here)
                .lockStore()
                .closeSession("alive")
                .thenApply(none -> true)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS));
        soon().until(() -> alive.closedSessions().contains("alive"));
    }

    private void open(String node, String session, RecordedEvents events) {
        soon().until(() -> cluster.node(node)
                        .lockStore()
                        .open(new SessionSpec(session, "owner of " + session, TTL), events)
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS)
                != null);
    }

    private long firstLogIndex(String name) {
        return cluster.node(name).node().division().orElseThrow().getRaftLog().getStartIndex();
    }
}
