package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.raft.RaftCluster;
import dev.tenon.raft.RaftOptions;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code tenon cluster} against three nodes in this process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterCommandsTest implements PunctualScenario {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<String, String> peers = new TreeMap<>();
    private final List<TestPort> ports = new ArrayList<>();
    private final Map<String, Node> nodes = new TreeMap<>();
    private Path folder;

    @BeforeAll
    void start(@TempDir Path temporary) {
        folder = temporary;
        List.of("n1", "n2", "n3").forEach(name -> peers.put(name, reserved()));
        peers.keySet().forEach(name -> open(name, peers));
        await().atMost(PATIENCE).until(() -> run("cluster", "status").exitCode() == 0);
    }

    @AfterAll
    void stop() {
        CompletableFuture.allOf(nodes.values().stream()
                        .map(node -> CompletableFuture.runAsync(node::close))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        ports.forEach(TestPort::close);
    }

    /** All nodes are in this process: what stands still for longer may find another leader when it goes on. */
    @Override
    public Duration inTime() {
        return RaftCluster.ELECTION_TIMEOUT;
    }

    @Override
    public Object askStore() {
        return "";
    }

    @Override
    public void startAnew() {
        Node fourth = nodes.remove("n4");
        if (fourth != null) {
            fourth.close();
            await().atMost(PATIENCE)
                    .until(() -> run("cluster", "status", "--json")
                                            .json()
                                            .path("members")
                                            .size()
                                    == 3
                            || run("cluster", "remove", "n4").exitCode() == 0);
        }
    }

    private String reserved() {
        TestPort port = TestPort.reserve();
        ports.add(port);
        return "127.0.0.1:" + port.number();
    }

    private void open(String name, Map<String, String> known) {
        nodes.put(
                name,
                Node.open(
                        NodeOptions.at("127.0.0.1", 0),
                        made(name),
                        RaftOptions.DEFAULT.withCluster(new RaftCluster(name, known))));
    }

    private Path made(String name) {
        try {
            return Files.createTempDirectory(folder, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command for all nodes, of which the first one never answers. */
    private CliRun run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--server");
        all.add("http://127.0.0.1:1,"
                + nodes.values().stream()
                        .map(node -> "http://127.0.0.1:" + node.port())
                        .collect(Collectors.joining(",")));
        return CliRun.of(all.toArray(String[]::new));
    }

    private String leader() {
        return await().atMost(PATIENCE)
                .until(
                        () -> run("cluster", "status", "--json")
                                .json()
                                .path("leader")
                                .asString(""),
                        name -> !name.isEmpty());
    }

    @Test
    void statusTellsWhoIsThereAndWhoLeads() {
        String leader = leader();
        CliRun status = run("cluster", "status");
        assertThat(status.exitCode()).as(status.err()).isZero();
        assertThat(status.out()).contains(leader + " leads", "BEHIND").contains(peers.values());
        assertThat(status.out().lines().filter(line -> line.contains("leader"))).hasSize(1);
        assertThat(run("cluster", "status", "--json").json().path("members")).hasSize(3);
        assertThat(run("id", "next").exitCode()).isZero();
    }

    @Test
    void theLeadAndTheMembersAreChanged() {
        String heir = leader().equals("n1") ? "n2" : "n1";
        CliRun transfer = run("cluster", "transfer", heir);
        assertThat(transfer.exitCode()).as(transfer.err()).isZero();
        assertThat(transfer.out()).contains(heir + " leads");
        CliRun nobody = run("cluster", "transfer", "n9");
        assertThat(nobody.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(nobody.err()).contains("n9");

        String address = reserved();
        Map<String, String> four = new TreeMap<>(peers);
        four.put("n4", address);
        open("n4", four);
        CliRun add = await().atMost(PATIENCE) // it may be starting still
                .until(() -> run("cluster", "add", "n4", address), run -> run.exitCode() == 0);
        assertThat(add.out()).contains("n4 is a member", address);
        CliRun remove = run("cluster", "remove", "n4", "--json");
        assertThat(remove.exitCode()).as(remove.err()).isZero();
        assertThat(remove.json().path("members")).hasSize(3);
        nodes.remove("n4").close();
    }

    @Test
    void aServerThatIsAloneSaysWhatToDo(@TempDir Path alone) {
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), alone)) {
            assertThat(CliRun.of(node.port(), "cluster", "status").exitCode()).isZero();
            CliRun add = CliRun.of(node.port(), "cluster", "add", "n2", "127.0.0.1:7701");
            assertThat(add.exitCode()).isEqualTo(ExitCode.REFUSED.code());
            assertThat(add.err()).contains("--peers");
        }
    }
}
