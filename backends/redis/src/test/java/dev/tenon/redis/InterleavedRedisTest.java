package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.InterleavedGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Five Redis with start 1 to 5 and step 5, of which two are killed. */
class InterleavedRedisTest {
    private static final int NODES = 5;
    private static final int FORGETFUL = 1;
    private static final int DURABLE = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisBackend> backends = new ArrayList<>();
    private final Set<Long> issued = new HashSet<>();

    InterleavedRedisTest() {
        for (int i = 0; i < NODES; i++) {
            servers.add(i == DURABLE ? RedisServer.startDurable() : RedisServer.start());
            backends.add(PatientRedis.connect(servers.get(i).address().uri()));
        }
    }

    @AfterEach
    void close() {
        backends.forEach(RedisBackend::close);
        servers.forEach(RedisServer::close);
    }

    @Test
    void idsGoOnWithoutTwoOfFiveAndTheyComeBack() {
        InterleavedGenerator.Builder builder =
                InterleavedGenerator.builder("orders").policy(SegmentPolicy.ofStep(50));
        backends.forEach(redis -> builder.member(redis.ranges()));
        try (InterleavedGenerator ids = builder.build()) {
            await().atMost(PATIENCE).until(() -> nodesOf(take(ids, 100)).size() == NODES);

            servers.get(FORGETFUL).kill();
            servers.get(DURABLE).kill();
            take(ids, 1000); // what is at hand of the dead
            await().atMost(PATIENCE).until(() -> {
                take(ids, 100);
                return atHand(ids, FORGETFUL) + atHand(ids, DURABLE) == 0
                        // A call that was under way as they died must be over: the client would send it again to a
                        // server that
                        // is back, before the sequence is defined there.
                        && ids.members().get(FORGETFUL).failure().isPresent()
                        && ids.members().get(DURABLE).failure().isPresent();
            });
            assertThat(nodesOf(take(ids, 10_000))).containsExactlyInAnyOrder(0, 2, 4);

            servers.get(FORGETFUL).restart();
            servers.get(DURABLE).restart();
            await().atMost(PATIENCE).until(() -> nodesOf(take(ids, 100)).contains(DURABLE));

            await().atMost(PATIENCE)
                    .until(
                            () -> {
                                take(ids, 100);
                                return ids.members().get(FORGETFUL).failure();
                            },
                            failure -> failure.filter(SequenceRegressedException.class::isInstance)
                                    .isPresent());
            assertThat(ids.regression()).isPresent();
            assertThat(nodesOf(take(ids, 1000))).doesNotContain(FORGETFUL);
            long highest = ids.members().get(FORGETFUL).highestSeen().orElseThrow();
            backends.get(FORGETFUL).ranges().raiseTo("orders", highest);
            await().atMost(PATIENCE).until(() -> nodesOf(take(ids, 100)).size() == NODES);
            assertThat(ids.regression()).isEmpty();
            assertThat(backends.get(FORGETFUL).ranges().definition("orders"))
                    .contains(new RangeDefinition(FORGETFUL + 1, NODES, Long.MAX_VALUE));
        }
    }

    private static long atHand(InterleavedGenerator ids, int node) {
        return ids.members().get(node).atHand();
    }

    /** Takes IDs, each of which is new. */
    private List<Long> take(InterleavedGenerator ids, int count) {
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long id = ids.nextId();
            assertThat(issued.add(id)).isTrue();
            taken.add(id);
        }
        return taken;
    }

    private static Set<Integer> nodesOf(List<Long> ids) {
        Set<Integer> nodes = new HashSet<>();
        ids.forEach(id -> nodes.add((int) ((id - 1) % NODES)));
        return nodes;
    }
}
