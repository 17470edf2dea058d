package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Processes that die, stand still, are restarted, or have a bad clock or disk. */
final class ProcessFaults {
    /** Have wall clocks of their own. */
    static final Set<String> CLOCKED = Set.of("n2", "n4");

    private static final List<Duration> STEPS =
            List.of(Duration.ofHours(1), Duration.ofHours(-1), Duration.ofSeconds(30), Duration.ofSeconds(-30));
    private static final int FLUSHES_LEAST = 20;
    private static final int FLUSHES_MORE = 100;

    private final FaultScene scene;
    private final ServerCluster cluster;

    ProcessFaults(FaultScene scene) {
        this.scene = scene;
        this.cluster = scene.cluster;
    }

    List<Fault> all() {
        return List.of(
                new Fault("kill -9 of the leader", () -> isKilled(scene.leader())),
                new Fault("kill -9 of a follower", () -> isKilled(scene.follower())),
                new Fault("kill -9 of all", this::allAreKilled),
                new Fault("leader stands still (SIGSTOP)", () -> standsStill(scene.leader())),
                new Fault("follower stands still (SIGSTOP)", () -> standsStill(scene.follower())),
                new Fault("rolling restart", this::eachIsRestarted),
                new Fault("lead handed over", this::leadIsHandedOver),
                new Fault("wall clock steps", this::clockSteps),
                new Fault("full disk", this::diskIsFull),
                new Fault("hanging disk", this::diskHangs));
    }

    private void isKilled(String name) {
        cluster.kill(name);
        scene.goOn();
        scene.restart(name);
    }

    private void allAreKilled() {
        List<String> all = List.copyOf(cluster.members());
        all.forEach(cluster::kill);
        List<ForkedJvm> started = all.stream().map(cluster::launch).toList();
        started.forEach(ServerCluster::awaitListens);
        all.forEach(cluster::awaitReady);
    }

    private void standsStill(String name) {
        cluster.process(name).pause();
        scene.goOn();
        cluster.process(name).resume();
    }

    private void eachIsRestarted() {
        for (String name : List.copyOf(cluster.members())) {
            assertThat(cluster.stop(name)).as("exit code of %s", name).isZero();
            scene.restart(name);
        }
    }

    private void leadIsHandedOver() {
        cluster.lead(scene.follower());
        scene.goOn();
    }

    private void clockSteps() {
        List<String> clocked =
                cluster.members().stream().filter(CLOCKED::contains).toList();
        String name;
        if (clocked.isEmpty()) {
            name = scene.any(List.copyOf(CLOCKED));
            scene.join(name);
            scene.leave(scene.any(cluster.beside(name)));
        } else {
            name = scene.any(clocked);
        }
        if (scene.random.nextBoolean()) {
            cluster.lead(name);
        }
        for (int i = 0; i < 2; i++) {
            cluster.process(name).setClock(scene.any(STEPS));
            scene.goOn();
        }
        cluster.process(name).setClock(Duration.ZERO);
    }

    private void diskIsFull() {
        String name = scene.member();
        cluster.process(name).limitFiles(1);
        scene.goOn();
        scene.goOn();
        cluster.kill(name);
        scene.goOn();
        scene.restart(name);
    }

    private void diskHangs() {
        String name = scene.member();
        cluster.kill(name);
        ForkedJvm hanging = cluster.launchWithHangingDisk(name, FLUSHES_LEAST + scene.random.nextInt(FLUSHES_MORE));
        ServerCluster.awaitListens(hanging);
        try {
            cluster.client(name, Duration.ofSeconds(5)).post("/v1/cluster/leader", "{\"name\":\"" + name + "\"}");
        } catch (UncheckedIOException e) {
            // hangs already
        }
        scene.goOn();
        scene.goOn();
        hanging.freeDisk();
        cluster.kill(name);
        scene.restart(name);
    }
}
