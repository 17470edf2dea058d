package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.client.HttpNode.Answer;
import dev.tenon.server.ServerExitCode;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.ServerData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** One of three server processes comes back with less in its data folder than it had: it says so, and what to do. */
@Tag("soak")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterFolderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int ENTRIES = 30;

    private ServerCluster cluster;
    private String node = "";

    @BeforeAll
    void start(@TempDir Path folder) {
        cluster = ServerCluster.start(folder);
        assertThat(cluster.client("n1")
                        .call("PUT", "/v1/ids/folder", "{\"kind\":\"sequence\"}")
                        .status())
                .isIn(200, 201);
    }

    @AfterEach
    void replace() throws IOException {
        cluster.kill(node);
        Files.move(cluster.data(node), cluster.data(node + "-" + System.nanoTime()));
        cluster.start(node);
        Answer added = await().atMost(PATIENCE)
                .until(() -> leader().post("/v1/cluster/members", address()), answer -> answer.status() == 200);
        assertThat(added.json().path("members")).hasSize(3);
        cluster.awaitReady(node);
        await().atMost(PATIENCE)
                .until(() -> trouble(leader()).isEmpty()
                        && trouble(cluster.client(node)).isEmpty());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    @Test
    void anOlderCopyTakesNoPartAndSaysSo() throws IOException {
        node = cluster.follower();
        write();
        assertThat(cluster.stop(node)).isZero();
        ServerData.copy(cluster.data(node), cluster.data(node + "-copy"));
        cluster.start(node);
        cluster.awaitReady(node);
        write();
        awaitConfirmed();
        cluster.kill(node);
        Files.move(cluster.data(node), cluster.data(node + "-newer"));
        ServerData.copy(cluster.data(node + "-copy"), cluster.data(node));

        cluster.start(node);
        HttpNode itself = cluster.client(node);
        Answer unready = await().atMost(PATIENCE)
                .until(() -> itself.fetch("/readyz"), answer -> answer.text().contains("older copy"));
        assertThat(unready.status()).isEqualTo(503);
        assertThat(unready.text()).contains("empty data folder", "tenon cluster add " + node);
        await().atMost(PATIENCE).until(() -> trouble(leader()).contains("older copy"));
        assertThat(trouble(itself)).contains("older copy");
        assertThat(said(node))
                .contains("older copy", "tenon cluster add " + node)
                .doesNotContain("\tat ");
        write();
    }

    @Test
    void aLogThatIsCutInHalfIsRefused() throws IOException {
        node = cluster.follower();
        write();
        await().atMost(PATIENCE).until(() -> Files.exists(cluster.data(node).resolve("REACHED")));
        long mark = mark();
        write();
        await().atMost(PATIENCE).until(() -> mark() > mark);
        cluster.kill(node);
        Path log = file("log_inprogress");
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
            channel.truncate(endOf(Files.readAllBytes(log)) / 2);
        }
        mustBeRefused("damaged");
    }

    @Test
    void anEmptyFileOfVotesIsRefused() throws IOException {
        node = cluster.follower();
        cluster.kill(node);
        Files.write(file("raft-meta"), new byte[0]);
        mustBeRefused("raft-meta is damaged: it is empty");
    }

    @Test
    void aNodeThatWaitsToBeAddedIsNoReasonForStackTraces() throws IOException {
        node = cluster.follower();
        cluster.kill(node);
        Files.move(cluster.data(node), cluster.data(node + "-lost"));
        cluster.start(node);
        await().atMost(PATIENCE).until(() -> said(node).contains("another data folder is a member"));
        // The leader tells once in five seconds.
        await().atMost(PATIENCE).until(() -> said(cluster.leader()).split("and not " + node).length > 2);
        assertThat(said(cluster.leader())).doesNotContain("\tat ");
        assertThat(said(node)).doesNotContain("\tat ", "and not " + node);
    }

    private void mustBeRefused(String why) {
        try (ForkedJvm refused = cluster.launch(node)) {
            assertThat(refused.awaitExit(PATIENCE)).isEqualTo(ServerExitCode.DATA_FOLDER.code());
            assertThat(refused.errors())
                    .contains(why, "empty data folder", "tenon cluster add " + node)
                    .doesNotContain("\tat ", "Restore");
        }
        write();
    }

    /** So many entries, on the disk of each node that is up. */
    private void write() {
        HttpNode leader = leader();
        for (int i = 0; i < ENTRIES; i++) {
            Answer answer = leader.post("/v1/ids/folder/next", "");
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        }
    }

    /** Until the leader knows that this node has all of it: a majority has without. */
    private void awaitConfirmed() {
        long applied = leader().fetch("/v1/cluster").json().path("applied").asLong();
        await().atMost(PATIENCE)
                .until(() -> member(leader()).path("committed").asLong(), confirmed -> confirmed >= applied);
    }

    private HttpNode leader() {
        return cluster.client(cluster.leader());
    }

    private String address() {
        return "{\"name\":\"" + node + "\",\"address\":\"" + cluster.address(node) + "\"}";
    }

    /** What an other node, or this one, knows to be wrong with this one. */
    private String trouble(HttpNode asked) {
        return member(asked).path("trouble").asString("");
    }

    private JsonNode member(HttpNode asked) {
        for (JsonNode member : asked.fetch("/v1/cluster").json().path("members")) {
            if (member.path("name").asString().equals(node)) {
                return member;
            }
        }
        return MissingNode.getInstance();
    }

    private String said(String name) {
        return cluster.process(name).errors() + cluster.process(name).lines();
    }

    private long mark() {
        try {
            String text = Files.readString(cluster.data(node).resolve("REACHED"));
            return Long.parseLong(text.split(" ")[1]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(String beginning) throws IOException {
        try (Stream<Path> files = Files.walk(cluster.data(node))) {
            return files.filter(file -> file.getFileName().toString().startsWith(beginning))
                    .filter(file -> !file.getFileName().toString().endsWith(".conf"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static int endOf(byte[] segment) {
        int end = segment.length;
        while (segment[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
