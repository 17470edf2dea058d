package dev.tenon.redis;

import static org.awaitility.Awaitility.await;

import dev.tenon.lock.LockOptions;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of those who wait when a quorum is disconnected. */
class RedisQuorumDisconnectTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int REQUESTS = 20;
    /** Each of them holds the lock at its first node in three of four pauses. */
    private static final int ENOUGH = 8;

    private static final String SESSION = "session";
    private static final LockOptions LASTING =
            LockOptions.DEFAULT.withLease(Duration.ofMinutes(5)).withoutRenewal();

    private final String prefix = "disconnect-" + UUID.randomUUID() + "-";
    private final List<RedisOptions> nodes = IntStream.range(0, 3)
            .mapToObj(i -> RedisOptions.of(RedisServer.shared().uri())
                    .withKeyPrefix(prefix + i)
                    .withCommandTimeout(Duration.ofSeconds(15)))
            .sorted(Comparator.comparing(RedisOptions::address)) // as the quorum has them: database 10 before 9
            .toList();

    @Test
    void aQuorumCanBeClosedThoughRequestsWereInTheirPause() throws Exception {
        // Many: each of them is in a pause between two attempts for most of the time, and in an attempt else.
        List<String> names =
                IntStream.range(0, REQUESTS).mapToObj(i -> "name " + i).toList();
        List<RedisBackend> each = nodes.stream().map(RedisBackend::connect).toList();
        RedisQuorum quorum = RedisQuorum.connect(nodes);
        try {
            for (String name : names) {
                for (RedisBackend node : QuorumNode.order(each, name).subList(1, 3)) {
                    node.locks().lock(name, LASTING).tryAcquire().orElseThrow();
                }
            }
            LockStore store = quorum.lockStore();
            store.open(new SessionSpec(SESSION, "test", Duration.ofHours(1)), new RecordedEvents())
                    .toCompletableFuture()
                    .join();
            for (String name : names) {
                store.acquire(new Acquire(
                        name, SESSION, name, "test", Optional.of(PATIENCE), PATIENCE, Acquire.Terms.EXCLUSIVE));
            }
            await().atMost(PATIENCE)
                    .until(() -> names.stream()
                                    .filter(name -> QuorumNode.order(each, name)
                                            .get(0)
                                            .locks()
                                            .inspect(name)
                                            .isPresent())
                                    .count()
                            >= ENOUGH);
            quorum.disconnect();
            CompletableFuture.runAsync(quorum::close).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            each.forEach(RedisBackend::close);
        }
    }
}
