package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each of three servers is stopped and started again under load: no call fails, and whoever waits keeps its place. */
@Tag("soak")
class RollingRestartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    /** For longer than three restarts take on a machine that is busy. */
    private static final Duration WAIT = Duration.ofMinutes(20);

    @TempDir
    private Path folder;

    @Test
    void noCallFailsAndNoPlaceIsLost() throws Exception {
        try (ServerCluster cluster = ServerCluster.start(folder);
                ClusterLoad load = ClusterLoad.start(cluster, PATIENCE)) {
            load.awaitAnswers(50);
            HttpNode first = cluster.client("n1");
            String holder = first.session("holder", "PT30M");
            String waiter = first.session("waiter", "PT30M");
            String late = first.session("late", "PT30M");
            long token = first.post("/v1/locks/door/acquire", "{\"session\":\"" + holder + "\"}")
                    .json()
                    .path("token")
                    .asLong();
            String asks = "{\"session\":\"" + waiter + "\",\"wait\":\"PT20M\",\"requestId\":\"w\"}";
            var told = cluster.client("n1", WAIT).send("POST", "/v1/locks/door/acquire", asks);
            awaitQueue(cluster, "n2", 1);
            var lateTold = cluster.client("n2", WAIT)
                    .send(
                            "POST",
                            "/v1/locks/door/acquire",
                            "{\"session\":\"" + late + "\",\"wait\":\"PT20M\",\"requestId\":\"l\"}");
            awaitQueue(cluster, "n2", 2);

            assertThat(cluster.stop("n1")).isZero();
            var refused = told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(refused.status()).as(refused.text()).isEqualTo(503);
            assertThat(refused.text()).contains("stopping");
            told = cluster.client("n3", WAIT).send("POST", "/v1/locks/door/acquire", asks);
            load.awaitAnswers(50);
            cluster.start("n1");
            cluster.awaitReady("n1");

            cluster.kill("n2"); // its waiter has no answer at all
            lateTold.handle((answer, lost) -> answer).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            load.awaitAnswers(50);
            cluster.start("n2");
            cluster.awaitReady("n2");

            awaitQueue(cluster, "n1", 2);
            assertThat(cluster.client("n1")
                            .post("/v1/locks/door/release", "{\"session\":\"" + holder + "\",\"token\":" + token + "}")
                            .status())
                    .isEqualTo(200);
            var got = told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(got.status()).as(got.text()).isEqualTo(200);

            assertThat(cluster.stop("n3")).isZero();
            load.awaitAnswers(50);
            cluster.start("n3");
            cluster.awaitReady("n3");
            load.check();
        }
    }

    private static void awaitQueue(ServerCluster cluster, String node, int length) {
        await().atMost(PATIENCE)
                .until(() -> cluster.client(node)
                                .fetch("/v1/locks/door")
                                .json()
                                .path("queue")
                                .size()
                        == length);
    }
}
