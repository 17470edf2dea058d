package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.testkit.RecordedEvents;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes: what one does the others know, through restarts, lost disks, and nodes that come and go. */
class ClusterTest implements PunctualScenario {
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private TestCluster cluster;
    private int clusters;

    @Override
    public Duration inTime() {
        return TestCluster.ELECTION;
    }

    /** All nodes are in this process. */
    @Override
    public Object askStore() {
        return "";
    }

    /** What the nodes lose or tell wrongly is wrong at any pace. */
    @Override
    public boolean maySpoil(Throwable failure) {
        return !(failure instanceof AssertionError);
    }

    @Override
    public void startAnew() {
        stop();
        start();
    }

    @BeforeEach
    void start() {
        cluster = TestCluster.of(folder.resolve(String.valueOf(clusters++)), 3)
                .with(RaftOptions.DEFAULT.withSnapshotLogBytes(30_000))
                .start();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void whatOneNodeDoesTheOthersKnow() throws InterruptedException {
        long last = 0;
        for (int i = 0; i < 30; i++) {
            last = next("n" + (i % 3 + 1), last);
        }
        Lease held = cluster.node("n1").locks().lock("stock").acquire(LONG);
        assertThat(cluster.node("n2").locks().lock("stock").tryAcquire()).isEmpty();
        LockView view = cluster.node("n3").locks().inspect("stock").orElseThrow();
        assertThat(view.holder().orElseThrow().since()).isCloseTo(Instant.now(), within(2, ChronoUnit.MINUTES));
        var waiting = cluster.node("n3").locks().lock("stock").acquireAsync(LONG);
        held.close();
        Lease next = waiting.toCompletableFuture().join();
        assertThat(next.token()).isGreaterThan(held.token());
        next.close();
        for (String name : cluster.names()) {
            RaftMembers.View seen = cluster.node(name).members().view();
            assertThat(seen.node()).isEqualTo(name);
            assertThat(seen.leader()).contains(cluster.leader());
            assertThat(seen.members()).extracting(RaftMembers.Member::name).containsExactly("n1", "n2", "n3");
            assertThat(seen.members()).allSatisfy(m -> assertThat(m.address()).isEqualTo(cluster.address(m.name())));
        }
    }

    @Test
    void aMajorityGoesOnAMinorityDoesNotAndAllComeBackWithWhatTheyHad() {
        long last = next("n1", 0);
        long token = hold("n1", "kept");
        String away = cluster.leader();
        cluster.stop(away);
        List<String> left = new ArrayList<>(new TreeSet<>(cluster.names()));
        last = next(left.get(0), last);
        last = next(left.get(1), last);

        cluster.stop(left.get(0));
        RaftBackend alone = cluster.node(left.get(1));
        assertThatThrownBy(() -> alone.ranges().next("orders", 10))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
        assertThatThrownBy(() -> alone.locks().inspect("kept"))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("a majority of the nodes n1=" + cluster.address("n1"));
        cluster.stop(left.get(1));

        List.of("n1", "n2", "n3").forEach(cluster::open);
        for (String name : List.of("n3", "n2", "n1")) {
            last = next(name, last);
        }
        assertThat(cluster.node("n2").locks().inspect("kept"))
                .hasValueSatisfying(view -> assertThat(view.isHeldUnder(token)).isTrue());
    }

    /** Else two nodes of which one has lost everything could lose what the third one still has. */
    @Test
    void aNodeThatHasNothingYetIsNoMajorityWithOneThatHasSomething() {
        stop();
        cluster = TestCluster.of(folder.resolve(String.valueOf(clusters++)), 3);
        cluster.network().isolate("n3", List.of("n1", "n2"));
        List.of("n1", "n2", "n3").forEach(cluster::open);
        String old = cluster.leader(List.of("n1", "n2"));
        String other = old.equals("n1") ? "n2" : "n1";
        long last = next(old, 0);
        cluster.network().isolate(old, List.of(other, "n3"));
        cluster.network().mend(other, "n3");

        RaftBackend left = cluster.node(other);
        assertThatThrownBy(() -> left.locks().inspect("kept"))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
        assertThat(cluster.hasEntries("n3")).isFalse();

        cluster.network().heal();
        last = next("n3", last);
        String again = cluster.leader();
        Set<String> others = new TreeSet<>(cluster.names());
        others.remove(again);
        cluster.network().isolate(again, others);
        next(cluster.leader(others), last);
    }

    @Test
    void aFollowerThatWasAwayGetsASnapshotInPlaceOfTheEntriesThatAreGone() {
        String away = cluster.follower();
        cluster.stop(away);
        String here = cluster.leader();
        cluster.node(here).definitions().putIfAbsent("d", "text");
        List<Release> large = new ArrayList<>(Collections.nCopies(2000, new Release("x".repeat(200), 1)));
        for (int i = 0; i < 12; i++) { // a segment of the log has 4 MB, and goes as a whole
            soon().until(() -> cluster.node(here)
                            .lockStore()
                            .release(large)
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS)
                    != null);
        }
        long last = next(here, 0);
        soon().until(() -> firstLogIndex(here) > 1);
        cluster.open(away);
        last = next(away, last);
        assertThat(cluster.node(away).definitions().find("d")).contains("text");
        cluster.stop(away);
        cluster.open(away);
        last = next(away, last);
        next(here, last);
    }

    @Test
    void aNodeWithALostDiskHasNoVoteUntilItIsAddedAgain() throws Exception {
        long last = next("n1", 0);
        cluster.stop("n3");
        RaftNode.delete(cluster.folder("n3"));
        cluster.open("n3");
        // It finds the cluster, and is none of it: with one more gone there is no majority.
        soon().until(() -> cluster.node("n3").node().division().isPresent());
        cluster.stop("n2");
        assertThatThrownBy(() -> cluster.node("n1").ranges().next("orders", 10))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
        assertThat(cluster.node("n3").members().view().members()).isEmpty();

        cluster.open("n2");
        cluster.leader();
        soon().ignoreExceptions().until(() -> {
            cluster.node("n1").members().add("n3", cluster.address("n3"));
            return true;
        });
        cluster.stop("n2");
        last = next("n3", last);
        next("n1", last);
        assertThat(cluster.node("n1").members().view().members())
                .extracting(RaftMembers.Member::name)
                .containsExactly("n1", "n2", "n3");
    }

    @Test
    void nodesComeAndGoAndTheLeadIsHandedOver() throws Exception {
        long last = next("n1", 0);
        cluster.open("n4");
        members().add("n4", cluster.address("n4"));
        members().add("n4", cluster.address("n4"));
        last = next("n4", last);
        assertThatThrownBy(() -> members().add("n4", "127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remove it first");
        members().transferLeadership("n4");
        assertThat(cluster.leader()).isEqualTo("n4");
        assertThatThrownBy(() -> members().transferLeadership("n9")).hasMessageContaining("n1, n2, n3, n4");

        String gone = "n4";
        cluster.node("n1").members().remove(gone);
        cluster.node("n1").members().remove(gone);
        soon().untilAsserted(() -> assertThatThrownBy(
                        () -> cluster.node(gone).ranges().next("orders", 1))
                .hasMessageContaining("removed from the cluster"));

        // Started again with its old folder it disturbs nobody. (A leader that stands still loses the lead by itself.)
        long before = last;
        Punctual.judge(TestCluster.ELECTION, () -> cluster.node("n2").ranges().next("asked", 1), () -> {
            String leader = cluster.leader(Set.of("n1", "n2", "n3"));
            long term = cluster.node(leader).members().view().term();
            cluster.stop(gone);
            cluster.open(gone);
            soon().untilAsserted(() -> assertThatThrownBy(
                            () -> cluster.node(gone).ranges().next("orders", 1))
                    .hasMessageContaining("is no member of the cluster"));
            next("n2", before);
            assertThat(cluster.node("n2").members().view().term()).isEqualTo(term);
        });
    }

    /** Takes a lock in a session that does not end with its node. */
    private long hold(String name, String lock) {
        RaftLockStore store = cluster.node(name).lockStore();
        store.open(new SessionSpec("s", "owner", Duration.ofHours(1)), new RecordedEvents())
                .toCompletableFuture()
                .join();
        Outcome outcome = store.acquire(
                        new Acquire(lock, "s", "r", "owner", Optional.of(Duration.ofHours(1)), Duration.ZERO))
                .toCompletableFuture()
                .join();
        return ((Outcome.Granted) outcome).token();
    }

    private RaftMembers members() {
        return cluster.node("n1").members();
    }

    private long firstLogIndex(String name) {
        return cluster.node(name).node().division().orElseThrow().getRaftLog().getStartIndex();
    }

    private long next(String name, long last) {
        long first = soon().until(() -> cluster.node(name).ranges().next("orders", 10), any -> true)
                .first();
        assertThat(first).isGreaterThan(last);
        return first;
    }
}
