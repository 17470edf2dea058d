package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.faults.LockHistoryContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Lines between nodes are cut: whoever has no majority on his side answers nothing, and nothing that he has is
 * believed.
 */
class ClusterPartitionTest extends LockHistoryContract {
    @RegisterExtension
    static final ThreeNodes NODES = new ThreeNodes(Duration.ofMillis(500));

    private final TestCluster cluster = NODES.cluster();

    @AfterEach
    void heal() {
        cluster.network().heal();
    }

    @Override
    protected LockStore store() {
        return cluster.node("n1").lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return cluster.node("n2").lockStore();
    }

    /** A leader or another node is cut off, both ways or one way, for a moment or until others have taken over. */
    @Override
    protected void disturb(Duration time) {
        Random random = new Random(1);
        List<String> names = new ArrayList<>(new TreeSet<>(cluster.names()));
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < time.toNanos()) {
            String node = random.nextBoolean() ? cluster.leader() : names.get(random.nextInt(3));
            String other = names.get((names.indexOf(node) + 1) % 3);
            switch (random.nextInt(4)) {
                case 0 -> cluster.network().isolate(node, names);
                case 1 -> cluster.network().cut(node, other);
                case 2 -> cluster.network().cut(other, node);
                default -> names.forEach(to -> cluster.network().cut(node, to));
            }
            pause(random.nextInt(2000));
            cluster.network().heal();
            pause(random.nextInt(1000));
        }
    }

    @Test
    void aLeaderThatIsCutOffTellsNothingOld() throws Exception {
        String old = cluster.leader();
        Set<String> others = new TreeSet<>(cluster.names());
        others.remove(old);
        assertThat(cluster.node(old).locks().inspect("stale")).isEmpty();
        long first = cluster.node(old).ranges().next("stale", 10).first();

        cluster.network().isolate(old, others);
        CompletableFuture<Boolean> write = CompletableFuture.supplyAsync(() -> {
            try {
                cluster.node(old).ranges().next("stale", 10);
                return true;
            } catch (OutcomeUnknownException | BackendUnavailableException e) {
                return false;
            }
        });
        String next = cluster.leader(others);
        long token = soon().until(() -> cluster.node(next).locks().lock("stale").tryAcquire(), any -> true)
                .orElseThrow()
                .token();
        assertThatThrownBy(() -> cluster.node(old).locks().inspect("stale"))
                .isInstanceOfAny(OutcomeUnknownException.class, BackendUnavailableException.class);
        assertThat(write.get(60, TimeUnit.SECONDS)).isFalse();
        long second = soon().until(() -> cluster.node(next).ranges().next("stale", 10), any -> true)
                .first();
        assertThat(second).isGreaterThan(first);

        cluster.network().heal();
        assertThat(soon().until(() -> cluster.node(old).locks().inspect("stale"), any -> true))
                .hasValueSatisfying(view -> assertThat(view.isHeldUnder(token)).isTrue());
        assertThat(soon().until(() -> cluster.node(old).ranges().next("stale", 10), any -> true)
                        .first())
                .isGreaterThan(second);
    }

    @Test
    void aMajorityIsNotDisturbedByTheOneThatComesBack() {
        // A machine that stands still has the majority elect anew all by itself: then this says nothing, and is done
        // again.
        soon().until(this::goesOnInItsTerm);
    }

    private boolean goesOnInItsTerm() {
        String away = cluster.follower();
        cluster.network().isolate(away, cluster.names());
        soon().until(() -> cluster.node(away).members().view().leader().isEmpty());
        long left = term(away);
        pause(1500);
        assertThat(term(away))
                .as("of one who is alone, and stands for no election")
                .isEqualTo(left);
        cluster.network().heal();
        soon().until(() -> cluster.node(away).ranges().next("back", 1), any -> true);
        return term(cluster.leader()) == left;
    }

    private long term(String node) {
        return cluster.node(node).members().view().term();
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
