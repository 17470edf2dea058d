package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZooKeeperVersionGeneratorTest {
    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend there = PatientZooKeeper.connect(address);

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void versionsOfANameAreContiguousOverAllProcesses() {
        ZooKeeperVersionGenerator mine = here.nodeVersions("orders/2026 ä");
        ZooKeeperVersionGenerator theirs = there.nodeVersions("orders/2026 ä");
        for (long expected = 1; expected < 20; expected += 2) {
            assertThat(mine.nextId()).isEqualTo(expected);
            assertThat(theirs.nextId()).isEqualTo(expected + 1);
        }
        assertThat(here.nodeVersions("others").nextId()).isEqualTo(1);
    }

    @Test
    void anArrayIsFilledInOrderWithoutAGap() {
        ZooKeeperVersionGenerator versions = here.nodeVersions("name");
        long[] ids = new long[ZooKeeperVersionGenerator.AT_ONCE + 3];
        versions.fill(ids);
        assertThat(ids).containsExactly(LongStream.rangeClosed(1, ids.length).toArray());
        versions.fill(new long[0]);
        assertThat(versions.nextId()).isEqualTo(ids.length + 1);
    }

    @Test
    void eightThreadsOfTwoProcessesNeverGetTheSameAndEachGetsThemInOrder() {
        for (boolean versions : new boolean[] {true, false}) {
            Set<Long> all = ConcurrentHashMap.newKeySet();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ZooKeeperBackend process = i % 2 == 0 ? here : there;
                ZooKeeperVersionGenerator ids = versions ? process.nodeVersions("name") : process.transactionIds();
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            long before = 0;
                            for (int n = 0; n < 50; n++) {
                                long id = ids.nextId();
                                assertThat(id).isGreaterThan(before);
                                assertThat(all.add(id)).isTrue();
                                before = id;
                            }
                        },
                        work -> new Thread(work, "test").start()));
            }
            threads.forEach(CompletableFuture::join);
            assertThat(all).hasSize(400);
        }
    }

    @Test
    void transactionIdsAreTheSameCountForEverything() {
        ZooKeeperVersionGenerator ids = here.transactionIds();
        long first = ids.nextId();
        there.ranges().next("sequence", 10);
        long second = there.transactionIds().nextId();
        assertThat(second).as("the change of the range counts too").isGreaterThan(first + 1);
        assertThat(ids.nextId()).isGreaterThan(second);
    }

    @Test
    void aNodeThatWasDeletedGivesNothingThatWasGivenBefore() throws Exception {
        ZooKeeperVersionGenerator versions = here.nodeVersions("name");
        versions.fill(new long[5]);
        String path = here.link().paths().version("name");
        there.link().handle().delete(path, -1);
        assertThatThrownBy(versions::nextId)
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining(path);
        there.nodeVersions("name").nextId();
        assertThatThrownBy(versions::nextId).isInstanceOf(SequenceRegressedException.class);
    }

    /** Versions as a node gives them that was changed so often before. */
    private static final class Worn implements ZooKeeperVersionGenerator.Changes {
        private int version;
        private int changes;

        private Worn(int version) {
            this.version = version;
        }

        @Override
        public Stat begin() {
            return stat();
        }

        @Override
        public List<Stat> make(int count) {
            List<Stat> stats = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                version++;
                changes++;
                stats.add(stat());
            }
            return stats;
        }

        private Stat stat() {
            Stat stat = new Stat();
            stat.setVersion(version);
            return stat;
        }
    }

    private static ZooKeeperVersionGenerator over(Worn node) {
        return new ZooKeeperVersionGenerator("The versions", node, Stat::getVersion);
    }

    @Test
    void theLastVersionIsGivenAndThenNoneAndTheNodeIsLeftAlone() {
        Worn node = new Worn(Integer.MAX_VALUE - 2);
        ZooKeeperVersionGenerator versions = over(node);
        assertThat(versions.nextId()).isEqualTo(Integer.MAX_VALUE - 1L);
        assertThat(versions.nextId()).isEqualTo(Integer.MAX_VALUE);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(versions::nextId).isInstanceOf(RangeExhaustedException.class);
        }
        assertThat(node.changes)
                .as("the one beyond the end, by which it is known")
                .isEqualTo(3);
    }

    @Test
    void whoComesLaterDoesNotTouchANodeThatIsUsedUp() {
        Worn node = new Worn(Integer.MIN_VALUE + 1);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> over(node).nextId()).isInstanceOf(RangeExhaustedException.class);
        }
        assertThat(node.changes).isZero();
    }

    @Test
    void anArrayThatReachesBeyondTheEndIsNotFilled() {
        Worn node = new Worn(Integer.MAX_VALUE - 5);
        ZooKeeperVersionGenerator versions = over(node);
        assertThatThrownBy(() -> versions.fill(new long[6])).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(versions::nextId).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void aVersionThatWentBackIsNotGiven() {
        Worn node = new Worn(100);
        ZooKeeperVersionGenerator versions = over(node);
        versions.nextId();
        node.version = 50;
        assertThatThrownBy(versions::nextId).isInstanceOf(SequenceRegressedException.class);
    }
}
