package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.Punctual;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is told to stop, behind a load balancer. */
class LeaveTest {
    /** The machine must not stand still for longer. */
    private static final Duration STOP_DELAY = Duration.ofSeconds(4);

    @TempDir
    private Path folder;

    @Test
    void itSaysSoAtReadyzFirstAndServesOn() throws Exception {
        Punctual.judge(STOP_DELAY.dividedBy(3), () -> "", this::stopsWithADelay);
    }

    private void stopsWithADelay() {
        try (ForkedJvm jvm = ServerProcess.launch(
                "--data", folder.toString(), "--port", "0", "--stop-delay", STOP_DELAY.toString())) {
            String greeting = jvm.nextLine(l -> l.startsWith("Tenon listens"), ServerProcess.START_LIMIT);
            TestClient client =
                    new TestClient(Integer.parseInt(greeting.replaceAll(".*http://127.0.0.1:(\\d+) .*", "$1")));
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);
            jvm.terminate();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> client.fetch("/readyz").problem().equals("stopping"));
            assertThat(client.next("default", 1)).hasSize(1);
            assertThat(client.fetch("/healthz").status()).isEqualTo(200);
            assertThat(jvm.awaitExit(Duration.ofSeconds(60))).isZero();
        }
    }

    @Test
    void aDelayThatIsNoneIsAUsageError() {
        for (String wrong : new String[] {"-PT1S", "PT2H", "3"}) {
            assertThat(TenonServer.run("--data", folder.toString(), "--stop-delay", wrong))
                    .isEqualTo(ServerExitCode.USAGE.code());
        }
        assertThat(TenonServer.run("--data", folder.toString(), "--slow-op", "PT0S"))
                .isEqualTo(ServerExitCode.USAGE.code());
        assertThat(TenonServer.run("--data", folder.toString(), "--log-format", "xml"))
                .isEqualTo(ServerExitCode.USAGE.code());
        assertThat(folder).isEmptyDirectory();
    }
}
