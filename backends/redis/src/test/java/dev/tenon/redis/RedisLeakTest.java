package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stays in Redis when every lock is free: one fence a bucket, whatever the number of names. */
class RedisLeakTest {
    private static final int NAMES = 20_000;
    private static final int BUCKETS = 256;

    private final RedisServer server = RedisServer.start();
    private final RedisAddress address = server.address();
    private final RedisBackend redis =
            RedisBackend.connect(RedisOptions.of(address.uri()).withCommandTimeout(Duration.ofSeconds(60)));
    private final LockStore store = redis.lockStore();

    @BeforeEach
    void openSession() {
        join(store.open(new SessionSpec("session", "test", Duration.ofHours(1)), new RecordedEvents()));
    }

    @AfterEach
    void close() {
        redis.close();
        server.close();
    }

    @Test
    void locksThatWereReleasedLeaveOnlyTheFences() {
        List<CompletionStage<Outcome>> grants = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            grants.add(store.acquire(request(i, "holder", Duration.ofHours(1), Duration.ZERO)));
        }
        List<Release> releases = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            Outcome.Granted granted = (Outcome.Granted) join(grants.get(i));
            releases.add(new Release(name(i), granted.token()));
        }
        assertThat(keys()).isGreaterThan(NAMES);
        join(store.release(releases));
        assertThat(keys()).isEqualTo(BUCKETS);
        assertThat(fences()).isEqualTo(BUCKETS);
    }

    @Test
    void locksAndQueuesThatNobodyCaresForAreGoneWhenTheirTimeIsOver() {
        List<CompletionStage<Outcome>> calls = new ArrayList<>();
        for (int i = 0; i < NAMES / 10; i++) {
            calls.add(store.acquire(request(i, "holder", Duration.ofMillis(200), Duration.ZERO)));
            calls.add(store.acquire(request(i, "waiter", Duration.ofMillis(200), Duration.ofMillis(700))));
        }
        calls.forEach(RedisLeakTest::join);
        // Not DBSIZE: Redis removes what has expired at its leisure, but shows it to nobody.
        await().until(() -> address.command("KEYS", "*").lines().allMatch(key -> key.endsWith("}:fence")));
        assertThat(fences()).isEqualTo(BUCKETS);
    }

    private long keys() {
        return Long.parseLong(address.command("DBSIZE"));
    }

    private long fences() {
        return address.command("KEYS", "{tenon:*}:fence").lines().count();
    }

    private static Acquire request(int i, String role, Duration lease, Duration wait) {
        return new Acquire(name(i), "session", role + "-" + i, "test", Optional.of(lease), wait);
    }

    private static String name(int i) {
        return "leak/" + i;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
