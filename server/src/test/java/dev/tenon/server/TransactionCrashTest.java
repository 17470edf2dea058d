package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.Participant.Said;
import dev.tenon.testkit.Punctual;
import dev.tenon.tx.TransactionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that dies in the middle of transactions, and the one after it. */
class TransactionCrashTest {
    /** A claim of the dead one has to end first, and the machine may be busy. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @Test
    void whatAKilledServerHasBegunIsEndedByTheNext() throws Exception {
        // Before it gives up its calls and makes them again, it must be dead.
        Punctual.judge(TransactionOptions.DEFAULT.callTimeout().dividedBy(4), () -> "", this::dieAndGoOn);
    }

    private void dieAndGoOn() throws Exception {
        Path data = Files.createTempDirectory(folder, "data");
        CountDownLatch killed = new CountDownLatch(1);
        try (Participant shop = new Participant()) {
            shop.answers("/second", (call, n) -> held(killed, n, 200))
                    .answers("/refusing", (call, n) -> held(killed, n, 409));
            try (ServerProcess server = ServerProcess.start(data, 0)) {
                begin(server, shop, "forward", "/second");
                begin(server, shop, "backward", "/refusing");
                await().atMost(PATIENCE)
                        .until(() -> shop.paths("forward").size() == 2
                                && shop.paths("backward").size() == 2);
                server.kill();
                killed.countDown();
            }
            try (ServerProcess server = ServerProcess.start(data, 0)) {
                awaitState(server, "forward", "COMMITTED");
                awaitState(server, "backward", "ABORTED");
            }
            // What the dead one has called is called again: it never heard the answer. What it knew is not.
            assertThat(shop.paths("forward")).containsExactly("/first", "/second", "/second", "/third");
            assertThat(shop.paths("backward")).containsExactly("/first", "/refusing", "/refusing", "/first-undo");
        }
    }

    /** Nothing is answered before the server is dead. */
    private static Said held(CountDownLatch killed, int n, int status) throws InterruptedException {
        if (n == 1 && !killed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            return new Said(500, "nobody was killed");
        }
        return new Said(status, "");
    }

    private static void begin(ServerProcess server, Participant shop, String gid, String second) {
        String body =
                """
                {"gid":"%s","kind":"saga","deadline":"PT10M","steps":[
                  {"name":"first","action":"%s","compensate":"%s"},
                  {"name":"second","action":"%s"},
                  {"name":"third","action":"%s"}]}
                """.formatted(gid, shop.url("/first"), shop.url("/first-undo"), shop.url(second), shop.url("/third"));
        assertThat(server.client().post("/v1/transactions", body).status()).isEqualTo(200);
    }

    private static void awaitState(ServerProcess server, String gid, String state) {
        TestClient client = server.client();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(client.fetch("/v1/transactions/" + gid).text())
                                .contains("\"state\":\"" + state + "\""));
    }
}
