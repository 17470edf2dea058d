package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.ServerExitCode;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.ServerData;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Folders that are used twice, or are not those of the node: what operators do by mistake. */
final class FolderFaults {
    private static final Duration QUICK = Duration.ofSeconds(5);

    private final FaultScene scene;
    private final ServerCluster cluster;

    FolderFaults(FaultScene scene) {
        this.scene = scene;
        this.cluster = scene.cluster;
    }

    List<Fault> all() {
        return List.of(
                new Fault("two processes with one folder", this::twoHaveOneFolder),
                new Fault("copy of a node's folder at its address", this::twoHaveOneAddress),
                copyBeside(),
                new Fault("a node's name, with an empty folder, elsewhere", this::nameIsUsedTwice),
                new Fault("folder of another cluster", () -> folderIsOfAnother(scene.member())),
                new Fault("older copy of a folder", this::folderIsOld));
    }

    Fault copyBeside() {
        return new Fault("copy of a node's folder runs beside it", () -> runsTwice(scene.member()));
    }

    private void twoHaveOneFolder() {
        String name = scene.member();
        try (TestPort port = TestPort.reserve();
                ForkedJvm second = cluster.launch(name, cluster.elsewhere(name, cluster.data(name), port), false)) {
            assertThat(second.awaitExit(FaultScene.PATIENCE)).isEqualTo(ServerExitCode.DATA_FOLDER.code());
            assertThat(second.errors()).contains("in use");
        }
        scene.goOn();
    }

    private void twoHaveOneAddress() {
        String name = scene.member();
        Path copy = copyOf(name);
        try (TestPort port = TestPort.reserve()) {
            ServerCluster.Place there = new ServerCluster.Place(copy, port, copy.resolveSibling(name + ".hosts"));
            try (ForkedJvm second = cluster.launch(name, there, false)) {
                assertThat(second.awaitExit(FaultScene.PATIENCE)).isNotZero();
            }
        }
        ServerData.delete(copy);
        scene.goOn();
    }

    private Path copyOf(String name) {
        Path copy = cluster.data(name + ".copy");
        ServerData.copy(cluster.data(name), copy);
        return copy;
    }

    private void runsTwice(String name) {
        Path copy = copyOf(name);
        servesNobody(name, copy);
        ServerData.delete(copy);
    }

    private void nameIsUsedTwice() {
        String name = scene.member();
        Path empty = cluster.data(name + ".empty");
        ServerData.delete(empty);
        servesNobody(name, empty);
        ServerData.delete(empty);
    }

    /** Runs a second process of a node for some time: it answers nobody, and the others go on. */
    private void servesNobody(String name, Path data) {
        try (TestPort port = TestPort.reserve();
                ForkedJvm twin = cluster.launch(name, cluster.elsewhere(name, data, port), false)) {
            awaitListensOrEnds(twin);
            scene.goOn();
            scene.goOn();
            assertUnready(twin, port);
        }
    }

    private static void awaitListensOrEnds(ForkedJvm twin) {
        try {
            ServerCluster.awaitListens(twin);
        } catch (IllegalStateException e) {
            twin.awaitExit(FaultScene.PATIENCE); // it has refused to start, which is as well
        }
    }

    private void assertUnready(ForkedJvm twin, TestPort port) {
        try {
            assertThat(cluster.client(port, QUICK).fetch("/readyz").status()).isEqualTo(503);
        } catch (UncheckedIOException e) {
            // it has ended, or does not answer: as well
        }
        assertThat(twin.errors()).as("what it tells").isNotEmpty();
    }

    private void folderIsOfAnother(String name) {
        Path others = cluster.data(name + ".others");
        ServerData.delete(others);
        try (TestPort port = TestPort.reserve();
                ForkedJvm alone = cluster.launch(name, cluster.elsewhere(name, others, port), true)) {
            ServerCluster.awaitListens(alone);
            assertThat(cluster.client(port, FaultScene.PATIENCE)
                            .post("/v1/ids/default/next", "")
                            .status())
                    .isEqualTo(200);
        }
        cluster.kill(name);
        Path own = cluster.data(name + ".own");
        move(cluster.data(name), own);
        move(others, cluster.data(name));
        ForkedJvm lost = cluster.launch(name);
        awaitListensOrEnds(lost);
        scene.goOn();
        scene.goOn();
        if (lost.running()) {
            assertThat(cluster.client(name, QUICK).fetch("/readyz").status()).isEqualTo(503);
        }
        lost.kill();
        ServerData.delete(cluster.data(name));
        move(own, cluster.data(name));
        scene.restart(name);
    }

    private void folderIsOld() {
        String name = scene.follower();
        Path old = cluster.data(name + ".old");
        ServerData.copy(cluster.data(name), old);
        scene.goOn();
        cluster.kill(name);
        ServerData.delete(cluster.data(name));
        move(old, cluster.data(name));
        ForkedJvm older = cluster.launch(name);
        awaitListensOrEnds(older);
        scene.goOn();
        older.kill();
        scene.join(name);
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
