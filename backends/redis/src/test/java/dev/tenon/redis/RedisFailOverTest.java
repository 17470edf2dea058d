package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RedisCluster;
import dev.tenon.testkit.RedisSentinels;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Somebody waits for a lock while servers die: he still gets it, and not only when the lease of the one before is over,
 * which is longer than these tests have patience.
 */
class RedisFailOverTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration WAIT = Duration.ofMinutes(4);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final String SESSION = "holder";

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void aWaiterOutlivesTheMasterThatHandedItTheLockAndDiedBeforeItHadSaidSo() {
        try (RedisBackend here = connect(cluster.uri());
                RedisBackend there = connect(cluster.uri())) {
            RedisServer listensAt = whereItListens(here);
            RedisServer master = cluster.nodes().stream()
                    .limit(3)
                    .filter(node -> node != listensAt
                            && node.running()
                            && cluster.partnerOf(node).running())
                    .findFirst()
                    .orElseThrow();
            String name = nameOn(master::equals);
            long token = hold(there, name);
            CompletableFuture<Lease> waiter = waitFor(here, name);
            releaseUnheard(name, token);
            awaitReplicas(master);
            assertThat(waiter).isNotDone();
            cluster.failOver(master);
            assertGets(waiter, token);
        }
    }

    @Test
    void aWaiterOutlivesTheNodeThatPushesComeFrom() {
        try (RedisBackend here = connect(cluster.uri());
                RedisBackend there = connect(cluster.uri())) {
            RedisServer listensAt = whereItListens(here);
            String name = nameOn(node -> node != listensAt && node.running());
            long token = hold(there, name);
            CompletableFuture<Lease> waiter = waitFor(here, name);
            listensAt.kill();
            release(there, name, token);
            assertGets(waiter, token);
        }
    }

    @Test
    void aWaiterOutlivesTheMasterThatSentinelsName() {
        try (RedisSentinels group = RedisSentinels.start();
                RedisBackend here = connect(group.uri());
                RedisBackend there = connect(group.uri())) {
            long token = hold(there, "name");
            CompletableFuture<Lease> waiter = waitFor(here, "name");
            awaitReplicas(group.master());
            group.failOver();
            release(there, "name", token);
            assertGets(waiter, token);

            // And one that hangs: its connections stay open, and a waiter has nothing to send that would get no answer.
            long next = hold(there, "next");
            CompletableFuture<Lease> other = waitFor(here, "next");
            awaitReplicas(group.master());
            RedisServer hung = group.master();
            hung.pause();
            group.promoted(hung);
            release(there, "next", next);
            assertGets(other, next);
        }
    }

    /** The node from which pushes come. */
    private static RedisServer whereItListens(RedisBackend onlyOne) {
        eventually(() ->
                onlyOne.lockStore().open(new SessionSpec(SESSION, "test", Duration.ofHours(1)), new RecordedEvents()));
        return cluster.nodes().stream()
                .filter(node -> node.running()
                        && !node.address()
                                .command("CLIENT", "LIST", "TYPE", "PUBSUB")
                                .isBlank())
                .findFirst()
                .orElseThrow();
    }

    private static String nameOn(Predicate<RedisServer> place) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "name " + i)
                .filter(name -> place.test(cluster.masterOf(key(name))))
                .findFirst()
                .orElseThrow();
    }

    private static String key(String name) {
        return new RedisLockKeys("tenon").of(name).get(0);
    }

    /** One that soon notices what is gone, so that a machine which stands still may look like that to it. */
    private static RedisBackend connect(String uri) {
        RedisOptions options = RedisOptions.of(uri).withCommandTimeout(TIMEOUT);
        return await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(() -> RedisBackend.connect(options), any -> true);
    }

    /** Holds a lock without renewing it: only a release can set it free in time. */
    private static long hold(RedisBackend redis, String name) {
        eventually(() ->
                redis.lockStore().open(new SessionSpec(SESSION, "test", Duration.ofHours(1)), new RecordedEvents()));
        Acquire request =
                new Acquire(name, SESSION, UUID.randomUUID().toString(), "test", Optional.of(LEASE), Duration.ZERO);
        return ((Outcome.Granted) eventually(() -> redis.lockStore().acquire(request))).token();
    }

    private static CompletableFuture<Lease> waitFor(RedisBackend redis, String name) {
        CompletableFuture<Lease> waiter =
                redis.locks().lock(name).acquireAsync(WAIT).toCompletableFuture();
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(() -> redis.locks().inspect(name).orElseThrow().queue().size() == 1);
        return waiter;
    }

    private static void release(RedisBackend redis, String name, long token) {
        assertThat(eventually(() -> redis.lockStore().release(List.of(new Release(name, token)))))
                .isSubsetOf(Released.HANDED_OVER, Released.NOT_HELD); // one whose answer was lost is repeated
    }

    /** A release that tells a channel of it to which nobody listens. */
    private static void releaseUnheard(String name, long token) {
        RedisLockCalls calls = new RedisLockCalls(new RedisLockKeys("tenon"), RedisLockScripts.onClock("clock"));
        RedisCall release = calls.release(new Release(name, token));
        List<String> arguments = new ArrayList<>(release.arguments());
        assertThat(arguments.set(1, "unheard:")).isEqualTo("tenon:session:");
        try (RedisLink link = new RedisLink(
                RedisOptions.of(cluster.uri()).withCommandTimeout(PATIENCE),
                TimeSource.system(),
                Executors.newSingleThreadScheduledExecutor())) {
            List<Object> reply = join(link.run(new RedisCall(release.script(), release.keys(), arguments)));
            assertThat(RedisLockReplies.released(reply)).isEqualTo(Released.HANDED_OVER);
        }
    }

    private static void assertGets(CompletableFuture<Lease> waiter, long after) {
        Lease lease = waiter.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(lease.token()).isGreaterThan(after);
        lease.close();
    }

    /** Until the replicas have all that the master has now. */
    static void awaitReplicas(RedisServer master) {
        String info = master.address().command("INFO", "replication");
        long written = Long.parseLong(info.replaceAll("(?s).*master_repl_offset:(\\d+).*", "$1"));
        await().atMost(PATIENCE).until(() -> {
            List<String> replicas = master.address()
                    .command("INFO", "replication")
                    .lines()
                    .filter(line -> line.startsWith("slave"))
                    .toList();
            return !replicas.isEmpty()
                    && replicas.stream()
                            .allMatch(line -> Long.parseLong(line.replaceAll(".*,offset=(\\d+),.*", "$1")) >= written);
        });
    }

    /** The answer once there is one. */
    private static <T> T eventually(Supplier<CompletionStage<T>> call) {
        return await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> Optional.of(join(call.get())), Optional::isPresent)
                .orElseThrow();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
