package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.ForkedJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The server as a process: what it says when it can't start, and what outlives it when it dies. */
class ServerProcessTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private static void assertRefused(ForkedJvm jvm, ServerExitCode exitCode, String... words) {
        try (jvm) {
            assertThat(jvm.awaitExit(LIMIT)).as(jvm.errors()).isEqualTo(exitCode.code());
            assertThat(jvm.lines()).isEmpty();
            assertThat(ServerProcess.errorsOf(jvm))
                    .as("one line on stderr")
                    .hasSize(1)
                    .allSatisfy(line ->
                            assertThat(line).startsWith("tenon server: ").contains(words));
        }
    }

    @Test
    void aPortInUseIsSaidInOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            ForkedJvm jvm =
                    ServerProcess.launch("--data", folder.resolve("data").toString(), "--port", port);
            assertRefused(jvm, ServerExitCode.ADDRESS, port, "in use", "--port 0");
        }
    }

    @Test
    void aDataFolderThatCannotBeWrittenIsSaidInOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        ForkedJvm jvm = ServerProcess.launch("--data", file.resolve("data").toString(), "--port", "0");
        assertRefused(jvm, ServerExitCode.DATA_FOLDER, file.toString(), "use another folder");
    }

    @Test
    void aFolderOfSomethingElseIsLeftAlone() throws IOException {
        Files.writeString(folder.resolve("thesis.txt"), "precious");
        ForkedJvm jvm = ServerProcess.launch("--data", folder.toString(), "--port", "0");
        assertRefused(jvm, ServerExitCode.DATA_FOLDER, folder.toString(), "no data folder");
        assertThat(folder.resolve("thesis.txt")).hasContent("precious");
    }

    @Test
    void aDataFolderOfAnotherVersionIsSaidInOneLine() throws IOException {
        Files.writeString(folder.resolve("VERSION"), "tenon-data 99\ngroup 6ba7b810-9dad-11d1-80b4-00c04fd430c8\n");
        ForkedJvm jvm = ServerProcess.launch("--data", folder.toString(), "--port", "0");
        assertRefused(jvm, ServerExitCode.DATA_FOLDER, "format 99", "another folder");
    }

    @Test
    void aDamagedLogIsSaidInOneLineAndATornEndIsMended() throws IOException {
        try (ServerProcess server = ServerProcess.start(folder, 0)) {
            server.client().put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            for (int i = 0; i < 20; i++) {
                server.client().next("seq", 1);
            }
            server.kill();
        }
        Path log = log();
        byte[] whole = Files.readAllBytes(log);
        int end = whole.length;
        while (whole[end - 1] == 0) {
            end--;
        }
        byte[] damaged = whole.clone();
        damaged[end / 2] ^= 0x55;
        Files.write(log, damaged);
        ForkedJvm jvm = ServerProcess.launch("--data", folder.toString(), "--port", "0");
        assertRefused(jvm, ServerExitCode.DATA_FOLDER, log.getFileName().toString(), "damaged");
        Files.write(log, Arrays.copyOf(whole, end - 3));
        try (ServerProcess server = ServerProcess.start(folder, 0)) {
            assertThat(server.client().next("seq", 1))
                    .first()
                    .satisfies(id -> assertThat(Long.parseLong(id)).isBetween(20L, 21L));
        }
    }

    private Path log() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(f -> f.getFileName().toString().startsWith("log_inprogress"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void anAddressThatOthersReachIsRefusedUnlessAskedFor() {
        ForkedJvm jvm = ServerProcess.launch("--host", "0.0.0.0", "--data", folder.toString(), "--port", "0");
        try (jvm) {
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ServerExitCode.USAGE.code());
            assertThat(jvm.errors()).contains("--insecure-bind");
        }
        ForkedJvm open = ServerProcess.launch(
                "--host", "0.0.0.0", "--insecure-bind", "--data", folder.toString(), "--port", "0");
        try (open) {
            assertThat(open.nextLine(LIMIT)).startsWith("Tenon listens on http://0.0.0.0:");
        }
    }

    @Test
    void aWrongOptionIsAUsageError() {
        for (String[] wrong : new String[][] {{"--prot", "1"}, {"--port", "x"}, {"--port", "65536"}, {"data"}}) {
            try (ForkedJvm jvm = ServerProcess.launch(wrong)) {
                assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ServerExitCode.USAGE.code());
                assertThat(jvm.errors()).contains("Usage: tenon server");
            }
        }
    }

    @Test
    void aDataFolderServesOneProcessAtATime() {
        try (ServerProcess first = ServerProcess.start(folder, 0)) {
            ForkedJvm second = ServerProcess.launch("--data", folder.toString(), "--port", "0");
            assertRefused(
                    second,
                    ServerExitCode.DATA_FOLDER,
                    "in use",
                    String.valueOf(first.jvm().pid()));
        }
    }

    @Test
    void anOrderlyStopTellsWaitersAndKeepsTheirPlace() throws Exception {
        String session;
        String waiter;
        long token;
        try (ServerProcess server = ServerProcess.start(folder, 0)) {
            TestClient client = server.client();
            session = client.session("holder");
            waiter = client.session("waiter");
            token = client.post("/v1/locks/a/acquire", "{\"session\":\"" + session + "\"}")
                    .json()
                    .path("token")
                    .asLong();
            var answer = client.send(
                    "POST",
                    "/v1/locks/a/acquire",
                    "{\"session\":\"" + waiter + "\",\"wait\":\"PT5M\",\"requestId\":\"w1\"}");
            await().until(() -> client.fetch("/v1/locks/a").json().path("queue").size() == 1);
            server.jvm().terminate();
            var told = answer.get(30, java.util.concurrent.TimeUnit.SECONDS);
            assertThat(new Answer(told.statusCode(), told).problem()).isEqualTo("stopping");
            assertThat(server.jvm().awaitExit(LIMIT)).isZero();
        }
        try (ServerProcess server = ServerProcess.start(folder, 0)) {
            TestClient client = server.client();
            assertThat(client.fetch("/v1/locks/a").json().path("queue")).hasSize(1);
            var again = client.send(
                    "POST",
                    "/v1/locks/a/acquire",
                    "{\"session\":\"" + waiter + "\",\"wait\":\"PT5M\",\"requestId\":\"w1\"}");
            assertThat(client.post("/v1/locks/a/release", "{\"session\":\"" + session + "\",\"token\":" + token + "}")
                            .text())
                    .contains("HANDED_OVER");
            var held = again.get(30, java.util.concurrent.TimeUnit.SECONDS);
            assertThat(new Answer(held.statusCode(), held).json().path("token").asLong())
                    .isGreaterThan(token);
        }
    }

    @Test
    void afterKillNineNoIdRepeatsAndEveryLockIsStillHeld() {
        Set<String> ids = new HashSet<>();
        String session;
        long token;
        int perRound = 0;
        try (ServerProcess server = ServerProcess.start(folder, 0)) {
            TestClient client = server.client();
            client.put("/v1/ids/seg", "{\"kind\":\"segment\",\"code\":5,\"prefix\":\"S\"}");
            client.put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            session = client.session("survivor");
            token = client.post("/v1/locks/a/acquire", "{\"session\":\"" + session + "\"}")
                    .json()
                    .path("token")
                    .asLong();
            client.post("/v1/locks/b/acquire", "{\"session\":\"" + session + "\",\"lease\":\"PT0.5S\"}");
            perRound = collect(client, ids);
            server.kill();
        }
        try (ServerProcess server = ServerProcess.start(folder, 0)) {
            TestClient client = server.client();
            int before = ids.size();
            assertThat(collect(client, ids)).isEqualTo(perRound);
            assertThat(ids).hasSize(before + perRound);
            assertThat(client.fetch("/v1/ids/seg")
                            .json()
                            .path("definition")
                            .path("code")
                            .asInt())
                    .isEqualTo(5);
            JsonNode holder = client.fetch("/v1/locks/a").json().path("holder");
            assertThat(holder.path("token").asLong()).isEqualTo(token);
            assertThat(holder.path("owner").asString()).isEqualTo("survivor");
            assertThat(client.fetch("/v1/locks/b").json().path("held").asBoolean())
                    .isFalse();
            assertThat(client.post("/v1/sessions/" + session + "/keepalive", "").status())
                    .isEqualTo(204);
            assertThat(client.post("/v1/locks/b/acquire", "{\"session\":\"" + session + "\"}")
                            .json()
                            .path("token")
                            .asLong())
                    .isGreaterThan(token);
            assertThat(client.post("/v1/locks/a/release", "{\"session\":\"" + session + "\",\"token\":" + token + "}")
                            .status())
                    .isEqualTo(200);
        }
    }

    private static int collect(TestClient client, Set<String> ids) {
        int count = 0;
        for (String name : new String[] {"default", "seg", "seq"}) {
            for (String id : client.next(name, 700)) {
                assertThat(ids.add(name + " " + id)).as(name + " " + id).isTrue();
                count++;
            }
        }
        return count;
    }
}
