package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster has on its majority what it answered: no restart makes anybody wait. */
class ClusterForgettingTest {
    private static final Duration LEASE = Duration.ofHours(1);

    @TempDir
    private Path folder;

    private int claims;

    private WorkerSlot claim(TestCluster cluster, boolean newStore) {
        WorkerClaim any = new WorkerClaim("r" + claims++, "me", "layout", 16, LEASE, Instant.now(), LEASE);
        WorkerClaim claim = newStore ? any.inNewStore() : any;
        return TestCluster.soon()
                .until(() -> cluster.node(cluster.leader()).workerIds("g").claim(claim), slot -> true);
    }

    @Test
    void nodesThatStartAgainMakeNobodyWait() {
        try (TestCluster cluster = TestCluster.of(folder, 3).start()) {
            WorkerSlot first = claim(cluster, true);
            for (String node : List.of("n1", "n2", "n3")) {
                cluster.stop(node);
                cluster.open(node);
                assertThat(claim(cluster, false).workerId()).isEqualTo(claims - 1);
            }
            cluster.names().forEach(cluster::stop);
            List.of("n1", "n2", "n3").forEach(cluster::open);
            assertThat(claim(cluster, false).workerId()).isEqualTo(4);
            assertThat(cluster.node(cluster.leader()).workerIds("g").renew(first, LEASE, Instant.now()))
                    .isTrue();
        }
    }
}
