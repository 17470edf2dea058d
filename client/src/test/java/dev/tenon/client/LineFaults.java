package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.FaultProxy;
import java.time.Duration;
import java.util.List;

/** Lines between nodes, and between clients and nodes, that are cut, silent, slow, or lose what goes one way. */
final class LineFaults {
    private static final int FLAPS = 4;

    private final FaultScene scene;
    private final ServerCluster cluster;

    LineFaults(FaultScene scene) {
        this.scene = scene;
        this.cluster = scene.cluster;
    }

    List<Fault> all() {
        return List.of(
                new Fault("leader in a black hole", () -> isCutOff(scene.leader())),
                new Fault("follower in a black hole", () -> isCutOff(scene.follower())),
                new Fault("leader hears and is not heard", () -> isSilenced(scene.leader())),
                new Fault("leader is heard and hears not", () -> isDeafened(scene.leader())),
                new Fault("follower is heard and hears not", () -> isDeafened(scene.follower())),
                new Fault("lines that come and go", this::linesFlap),
                new Fault("slow lines between nodes", this::linesAreSlow),
                new Fault("late replies", this::repliesAreLate),
                new Fault("lost replies", this::repliesAreLost),
                new Fault("cut connections of clients", this::clientsAreCut));
    }

    private void isCutOff(String name) {
        cluster.isolate(name);
        cluster.awaitUnready(name);
        scene.goOn();
        cluster.heal();
    }

    private void isSilenced(String name) {
        cluster.silence(name);
        scene.goOn();
        cluster.heal();
    }

    private void isDeafened(String name) {
        cluster.deafen(name);
        scene.goOn();
        cluster.heal();
    }

    private void linesFlap() {
        for (int i = 0; i < FLAPS; i++) {
            String name = scene.member();
            String other = scene.any(cluster.beside(name));
            switch (scene.random.nextInt(3)) {
                case 0 -> cluster.isolate(name);
                case 1 -> cluster.line(name, other).blackhole();
                default -> cluster.line(name, other).cut();
            }
            scene.goOn();
            cluster.heal();
        }
    }

    private void linesAreSlow() {
        String name = scene.member();
        Duration late = Duration.ofMillis(50 + scene.random.nextInt(200));
        setDelay(name, late);
        scene.goOn();
        setDelay(name, Duration.ZERO);
    }

    private void setDelay(String name, Duration late) {
        for (String other : cluster.beside(name)) {
            cluster.line(name, other).delay(late);
            cluster.line(other, name).delay(late);
        }
    }

    private void repliesAreLate() {
        Duration late = Duration.ofMillis(100 + scene.random.nextInt(1000));
        List<FaultProxy> doors = doors();
        doors.forEach(door -> door.delay(Duration.ZERO, late));
        scene.goOn();
        doors.forEach(door -> door.delay(Duration.ZERO));
    }

    /** What was asked for happens, and nobody hears of it: of any of the nodes at least one answer is lost. */
    private void repliesAreLost() {
        List<FaultProxy> doors = doors();
        for (int i = 0; i < FLAPS; i++) {
            long before = doors.stream().mapToLong(FaultProxy::bytesToClient).sum();
            doors.forEach(FaultProxy::dropReplies);
            await().atMost(FaultScene.PATIENCE)
                    .until(() ->
                            doors.stream().mapToLong(FaultProxy::bytesToClient).sum() > before);
            cluster.heal();
            scene.goOn();
        }
    }

    private void clientsAreCut() {
        for (int i = 0; i < FLAPS; i++) {
            doors().forEach(FaultProxy::cut);
            scene.goOn();
        }
    }

    private List<FaultProxy> doors() {
        return cluster.members().stream().map(cluster::door).toList();
    }
}
