package dev.tenon.client;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Three server processes for all tests of a class, whole again after each of them, and a load for each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultyCluster {
    static final int ANSWERS_LEAST = 40;
    static final Duration PATIENCE = Duration.ofSeconds(180);

    ServerCluster cluster;
    ClusterLoad load;

    @BeforeAll
    void startCluster(@TempDir Path folder) {
        cluster = start(folder);
    }

    /** Starts the cluster. */
    abstract ServerCluster start(Path folder);

    @AfterAll
    void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void startLoad() {
        load = ClusterLoad.start(cluster, PATIENCE);
        load.awaitAnswers(ANSWERS_LEAST);
    }

    @AfterEach
    void everyNodeIsBack() {
        cluster.heal();
        load.close();
        ServerCluster.NAMES.forEach(cluster::awaitReady);
    }
}
