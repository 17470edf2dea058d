package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Members that come, go, lose their disks, or miss so much that they need a snapshot, all under load. */
final class MemberFaults {
    private static final String SNAPSHOT = "tenon_raft_snapshot_index ";
    private static final int PAYLOAD = 250_000;

    private final FaultScene scene;
    private final ServerCluster cluster;
    private int ballast;

    MemberFaults(FaultScene scene) {
        this.scene = scene;
        this.cluster = scene.cluster;
    }

    List<Fault> all() {
        return List.of(
                new Fault("members change", this::oneComesAndOneGoes),
                removedLeader(),
                new Fault("lost disk", () -> diskIsLost(scene.member())),
                new Fault("node that needs a snapshot", this::oneNeedsASnapshot),
                new Fault("two of five are killed", this::twoOfFiveAreKilled));
    }

    Fault removedLeader() {
        return new Fault("leader is removed", this::leaderIsRemoved);
    }

    private void oneComesAndOneGoes() {
        scene.join(scene.stranger());
        scene.goOn();
        scene.leave(scene.follower());
        scene.goOn();
    }

    private void leaderIsRemoved() {
        String coming = scene.stranger();
        scene.join(coming);
        scene.leave(scene.leader());
        scene.goOn();
    }

    private void diskIsLost(String name) {
        cluster.kill(name);
        scene.goOn();
        scene.join(name);
    }

    private void twoOfFiveAreKilled() {
        List<String> coming = cluster.names().stream()
                .filter(name -> !cluster.members().contains(name))
                .toList();
        coming.forEach(scene::join);
        String first = scene.leader();
        String second = scene.any(cluster.beside(first));
        cluster.kill(first);
        cluster.kill(second);
        scene.goOn();
        scene.restart(first);
        scene.restart(second);
        while (cluster.members().size() > ServerCluster.NAMES.size()) {
            scene.leave(scene.follower());
        }
        scene.goOn();
    }

    private void oneNeedsASnapshot() {
        String name = scene.follower();
        long applied =
                cluster.client(name).fetch("/v1/cluster").json().path("applied").asLong();
        cluster.kill(name);
        TransactionStore store = scene.load.client().transactions();
        await().atMost(FaultScene.PATIENCE).until(() -> {
            write(store);
            // Nobody has the entries any more that come next for the one that is down.
            return cluster.beside(name).stream().allMatch(other -> snapshot(other) > applied);
        });
        scene.restart(name);
    }

    private long snapshot(String name) {
        return cluster.client(name)
                .fetch("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(SNAPSHOT))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(SNAPSHOT.length())))
                .findFirst()
                .orElseThrow();
    }

    /** So much of log, and of state. */
    private void write(TransactionStore store) {
        try {
            store.begin(draft(new TransactionId("ballast-" + ++ballast)), Optional.of("nobody"), Duration.ofDays(1));
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            // Written or not: there is another one.
        }
    }

    private static TransactionDraft draft(TransactionId gid) {
        return new TransactionDraft(
                gid,
                TransactionKind.SAGA,
                "ballast",
                "ballast/1",
                "x".repeat(PAYLOAD),
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofDays(1),
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("b", Map.of(Operation.ACTION, "nobody"), "")));
    }
}
