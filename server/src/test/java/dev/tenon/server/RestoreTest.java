package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.raft.RaftCluster;
import dev.tenon.raft.RaftOptions;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup over HTTP, the old server dead, and a restored one in its place: nothing comes twice. */
class RestoreTest {
    private static final List<String> NAMES = List.of("seg", "seq", "shu", "inter", "tmpl", "daily", "default");

    @TempDir
    private Path folder;

    @Test
    void nothingThatWasIssuedAfterTheBackupComesAgain() throws Exception {
        Set<String> issued = new HashSet<>();
        long token;
        Path file = folder.resolve("file");
        Path old = folder.resolve("old");
        try (Node server = Node.open(NodeOptions.at("127.0.0.1", 0), old)) {
            TestClient client = new TestClient(server.port());
            client.put("/v1/ids/seg", "{\"kind\":\"segment\",\"step\":100}");
            client.put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            client.put("/v1/ids/shu", "{\"kind\":\"shuffled\",\"step\":100}");
            client.put("/v1/ids/inter", "{\"kind\":\"interleaved\",\"nodes\":3,\"node\":2}");
            client.put("/v1/ids/tmpl", "{\"kind\":\"template\",\"template\":\"T{seq}\"}");
            client.put(
                    "/v1/ids/daily", "{\"kind\":\"template\",\"template\":\"D{yyyyMMdd}{seq:6}\",\"reset\":\"daily\"}");
            take(client, "seq", issued);
            Files.write(file, backup(server.port()));
            NAMES.forEach(name -> take(client, name, issued));
            token = token(client);
        }
        Path restored = folder.resolve("new");
        assertRestores(file, restored, "--skip", "5000");
        try (Node server = Node.open(NodeOptions.at("127.0.0.1", 0), restored)) {
            TestClient client = new TestClient(server.port());
            NAMES.forEach(name -> take(client, name, issued));
            assertThat(token(client)).isGreaterThan(token);
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);
        }
    }

    /** Each ID that is given is a new one. */
    private static void take(TestClient client, String name, Set<String> issued) {
        List<String> ids = client.next(name, 50);
        assertThat(ids).hasSize(50);
        ids.forEach(id ->
                assertThat(issued.add(name + " " + id)).as("%s %s", name, id).isTrue());
    }

    private static long token(TestClient client) {
        return client.post("/v1/locks/a/acquire", "{\"session\":\"" + client.session("me") + "\"}")
                .json()
                .path("token")
                .asLong();
    }

    private static byte[] backup(int port) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/backup"))
                                .build(),
                        BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    private static void assertRestores(Path file, Path data, String... more) {
        StringWriter out = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of(file.toString(), "--data", data.toString()));
        arguments.addAll(List.of(more));
        int exitCode = TenonRestore.line().setOut(new PrintWriter(out)).execute(arguments.toArray(String[]::new));
        assertThat(exitCode).isEqualTo(ServerExitCode.STOPPED.code());
        assertThat(out.toString()).contains("seq (sequence) goes on at 5051", "longest lease");
    }

    @Test
    void whatCannotBeRestoredIsSaid() throws Exception {
        Path file = folder.resolve("file");
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("old"))) {
            Files.write(file, backup(node.port()));
        }
        String data = folder.resolve("new").toString();
        assertThat(TenonRestore.run(file.toString(), "--data", data)).isEqualTo(ServerExitCode.USAGE.code());
        for (String skip : List.of("0", "-1", "x", "100000000001")) {
            assertThat(TenonRestore.run(file.toString(), "--data", data, "--skip", skip))
                    .isEqualTo(ServerExitCode.USAGE.code());
        }
        assertThat(TenonRestore.run(file.toString(), "--data", data, "--skip", "1", "--nothing-since"))
                .isEqualTo(ServerExitCode.USAGE.code());
        String full = folder.resolve("old").toString();
        assertThat(TenonRestore.run(file.toString(), "--data", full, "--nothing-since"))
                .isEqualTo(ServerExitCode.DATA_FOLDER.code());
        Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(Files.readAllBytes(file), 100));
        assertThat(TenonRestore.run(cut.toString(), "--data", data, "--skip", "1"))
                .isEqualTo(ServerExitCode.DATA_FOLDER.code());
        assertThat(TenonRestore.run(folder.resolve("none").toString(), "--data", data, "--skip", "1"))
                .isEqualTo(ServerExitCode.DATA_FOLDER.code());
        assertThat(folder.resolve("new")).doesNotExist();
        assertThat(folder).isDirectoryNotContaining("glob:**{draft,restoring*}");
    }

    @Test
    void whatItDidNotMakeItDoesNotTouch() throws Exception {
        Path file = folder.resolve("file");
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("old"))) {
            new TestClient(node.port()).put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            take(new TestClient(node.port()), "seq", new HashSet<>());
            Files.write(file, backup(node.port()));
        }
        // Names that earlier versions took for their own.
        List<Path> precious = new ArrayList<>();
        for (String name : List.of("new.draft", "new.restoring", "new.draft.restoring")) {
            Path there = Files.createDirectories(folder.resolve(name));
            precious.add(Files.writeString(there.resolve("thesis.tex"), "precious"));
        }
        Path volume = Files.createDirectories(folder.resolve("volume"));
        Object before = Files.getAttribute(volume, "unix:ino");
        Path link = Files.createSymbolicLink(folder.resolve("new"), volume);
        assertRestores(file, link, "--skip", "5000");
        assertThat(precious).allSatisfy(kept -> assertThat(kept).hasContent("precious"));
        assertThat(link).isSymbolicLink();
        assertThat(Files.getAttribute(volume, "unix:ino"))
                .as("the folder that was there")
                .isEqualTo(before);
        assertThat(volume).isDirectoryNotContaining("glob:**restoring*");
        assertThat(Files.getPosixFilePermissions(volume.resolve("raft"))).hasSize(3); // its owner's
        for (int i = 0; i < 2; i++) { // the second time there is something in it
            Path target = i == 0 ? volume : folder.resolve("dangling");
            if (i == 1) {
                Files.createSymbolicLink(target, folder.resolve("nowhere"));
            }
            assertThat(TenonRestore.run(file.toString(), "--data", target.toString(), "--nothing-since"))
                    .isEqualTo(ServerExitCode.DATA_FOLDER.code());
        }
        assertThat(folder.resolve("nowhere")).doesNotExist();
        try (TestPort port = TestPort.reserve()) { // as the first node of a new cluster
            RaftCluster cluster = new RaftCluster("n1", Map.of("n1", "127.0.0.1:" + port.number()));
            try (Node node =
                    Node.open(NodeOptions.at("127.0.0.1", 0), link, RaftOptions.DEFAULT.withCluster(cluster))) {
                TestClient client = new TestClient(node.port());
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> client.fetch("/readyz").status() == 200);
                assertThat(client.next("seq", 1)).containsExactly("5051");
            }
        }
    }

    @Test
    void aServerOverAStoreHasNoBackup() {
        StoreLocation store = new StoreLocation("jdbc:h2:mem:no-backup", Optional.empty(), Optional.empty());
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), store)) {
            TestClient.Answer refused = new TestClient(node.port()).fetch("/v1/backup");
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.problem()).isEqualTo("no-backup");
        }
    }
}
