package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.ForkedJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Large transactions that do not end, on a small heap: as many as fit, and none that ends the server, now or at its
 * next start.
 */
@Tag("soak")
class HeapLimitTest {
    private static final String OUT_OF_MEMORY_ENDS_IT = "-XX:+ExitOnOutOfMemoryError";
    private static final int CLIENTS = 16;
    private static final int MOST = 10_000;
    /** So many clients with so much to send keep each other waiting. */
    private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private ServerProcess start(String heap) {
        return ServerProcess.started(launch(heap));
    }

    private ForkedJvm launch(String heap) {
        return ServerProcess.launch(List.of(heap, OUT_OF_MEMORY_ENDS_IT), "--data", folder.toString(), "--port", "0");
    }

    @Test
    void aServerThatIsFullServesAndStartsAgain() {
        try (ServerProcess server = start("-Xmx256m")) {
            int begun = fill(server);
            assertThat(begun).isBetween(500, 1_100);
            serveGoodClient(server);
            Answer metrics = server.client().fetch("/metrics");
            assertThat(metrics.text()).contains("tenon_quota_refusals_total{quota=\"state\"}");
        }
        try (ServerProcess again = start("-Xmx256m")) {
            serveGoodClient(again);
            assertThat(begin(again.client(), "more").status()).isEqualTo(429);
            assertThat(again.client().post("/v1/transactions/t1/abort", "").status())
                    .isEqualTo(200);
        }
        try (ForkedJvm small = launch("-Xmx96m")) {
            assertThat(small.awaitExit(ServerProcess.START_LIMIT)).isEqualTo(ServerExitCode.DATA_FOLDER.code());
            assertThat(ServerProcess.errorsOf(small).stream().filter(line -> !line.contains("WARN")))
                    .as("one line on stderr")
                    .hasSize(1);
            assertThat(small.errors()).containsPattern("start with TENON_JAVA_OPTS=-Xmx(256|320|384)m");
        }
    }

    /** Until nothing more is taken; how many were. */
    private static int fill(ServerProcess server) {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(CompletableFuture.runAsync(() -> {
                TestClient client = new TestClient(server.port(), ANSWER_LIMIT);
                for (int n = next.incrementAndGet(); n < MOST; n = next.incrementAndGet()) {
                    Answer answer = begin(client, "t" + n);
                    if (answer.status() == 429) {
                        assertThat(answer.problem()).isEqualTo("too-much-state");
                        return;
                    }
                    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
                    begun.incrementAndGet();
                }
            }));
        }
        CompletableFuture.allOf(clients.toArray(CompletableFuture<?>[]::new)).join();
        return begun.get();
    }

    /** Its participant is dead: nothing listens there. */
    private static Answer begin(TestClient client, String gid) {
        return client.post(
                "/v1/transactions",
                "{\"kind\":\"saga\",\"gid\":\"" + gid
                        + "\",\"steps\":[{\"name\":\"a\",\"action\":\"http://127.0.0.1:9/a\","
                        + "\"compensate\":\"http://127.0.0.1:9/c\",\"payload\":\"" + "p".repeat(60_000) + "\"}]}");
    }

    private static void serveGoodClient(ServerProcess server) {
        TestClient good = server.client();
        Answer ids = good.post("/v1/ids/default/next?count=10", "");
        assertThat(ids.status()).as(ids.text()).isEqualTo(200);
        assertThat(ids.json().path("ids")).hasSize(10);
        assertThat(good.fetch("/v1/transactions/t1").status()).isEqualTo(200);
        assertThat(good.fetch("/v1/transactions?limit=100").status()).isEqualTo(200);
        assertThat(good.fetch("/readyz").status()).isEqualTo(200);
    }
}
