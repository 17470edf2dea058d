package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.lock.Lease;
import dev.tenon.lock.MultiLease;
import dev.tenon.testkit.RedisCluster;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is different in a cluster: keys are in several places, and places change. */
class RedisClusterTest {
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final RedisCluster cluster = RedisCluster.shared();
    private final String prefix = "test-" + UUID.randomUUID();
    private final RedisOptions options = RedisOptions.of(cluster.uri()).withKeyPrefix(prefix);
    private final RedisBackend redis = RedisBackend.connect(options);

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void anyNodeLeadsToTheCluster() {
        RedisServer replica = cluster.nodes().get(5);
        String one = "redis-cluster://127.0.0.1:" + replica.socket().getPort();
        try (RedisBackend other = RedisBackend.connect(RedisOptions.of(one).withKeyPrefix(prefix))) {
            for (int i = 0; i < 20; i++) {
                try (Lease lease = other.locks().lock("name " + i).tryAcquire().orElseThrow()) {
                    assertThat(redis.locks().validate("name " + i, lease.token()))
                            .isTrue();
                }
            }
        }
        String dead =
                "redis-cluster://127.0.0.1:1,127.0.0.1:" + replica.socket().getPort();
        RedisBackend.connect(dead).close();
        assertThatThrownBy(() -> RedisBackend.connect("redis-cluster://127.0.0.1:1,127.0.0.1:2"))
                .isInstanceOf(BackendUnavailableException.class);
        assertThatThrownBy(() -> RedisBackend.connect("redis-cluster://127.0.0.1:1/3"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RedisBackend.connect("redis://127.0.0.1:1,127.0.0.1:2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redis-cluster://");
    }

    @Test
    void aNodeTakenForTheWholeSaysWhatItIs() {
        String uri = cluster.nodes().get(0).address().uri();
        try (RedisBackend one = RedisBackend.connect(RedisOptions.of(uri).withKeyPrefix(prefix))) {
            assertThatThrownBy(() ->
                            IntStream.range(0, 20).forEach(i -> one.ranges().next("sequence " + i, 1)))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("redis-cluster://");
        }
    }

    @Test
    void rangesWorkerIdsAndDefinitionsAreThereWhereverTheyAre() {
        for (int i = 0; i < 20; i++) {
            assertThat(redis.ranges().next("sequence " + i, 5).last()).isEqualTo(5);
            WorkerClaim claim = new WorkerClaim("request", "test", "layout", 8, WAIT, Instant.now(), WAIT).inNewStore();
            assertThat(redis.workerIds("group " + i).claim(claim).workerId()).isZero();
            redis.definitions().putIfAbsent("name " + i, "text");
            redis.fence().set("resource " + i, "value", 7);
            assertThat(redis.fence().value("resource " + i)).contains("value");
        }
        assertThat(redis.definitions().all()).hasSize(20);
    }

    @Test
    void locksInSeveralPlacesAreTakenTogetherOrNotAtAll() throws Exception {
        List<String> names = IntStream.range(0, 10).mapToObj(i -> "name " + i).toList();
        Set<RedisServer> places = new HashSet<>();
        names.forEach(name ->
                places.add(cluster.masterOf(new RedisLockKeys(prefix).of(name).get(0))));
        assertThat(places).hasSizeGreaterThan(1);
        try (MultiLease all = redis.locks().multiLock(names).acquire(WAIT)) {
            assertThat(redis.locks().list("", "", 100).locks()).hasSize(10);
            assertThat(redis.locks().multiLock(names).tryAcquire()).isEmpty();
            all.ensure(Duration.ofSeconds(1));
        }
        try (Lease one = redis.locks().lock("name 7").acquire(WAIT)) {
            assertThat(redis.locks().multiLock(names).tryAcquire()).isEmpty();
            assertThat(redis.locks().list("", "", 100).locks())
                    .singleElement()
                    .satisfies(left -> assertThat(left.token()).isEqualTo(one.token()));
        }
        assertThat(redis.locks().list("", "", 100).locks()).isEmpty();
    }

    @Test
    void aUserWithTheDocumentedPermissionsCanDoEverything() throws Exception {
        String user = "u" + UUID.randomUUID();
        for (RedisServer node : cluster.nodes()) {
            node.address()
                    .command(("ACL SETUSER " + user
                                    + " on >secret ~tenon:* ~{tenon:* &tenon:* +@connection +@scripting +@read"
                                    + " +@write +@pubsub +time +info +cluster|slots")
                            .split(" "));
        }
        RedisOptions limited = RedisOptions.of(cluster.uri().replace("://", "://" + user + ":secret@"))
                .withCommandTimeout(WAIT.multipliedBy(2))
                .withReplicas(1, WAIT.dividedBy(2));
        assertThat(limited.toString()).doesNotContain("secret");
        try (RedisBackend other = RedisBackend.connect(limited)) {
            for (int i = 0; i < 10; i++) {
                String name = user + i;
                Lease lease = other.locks().lock(name).tryAcquire().orElseThrow();
                CompletableFuture<Lease> waiter =
                        other.locks().lock(name).acquireAsync(WAIT).toCompletableFuture();
                lease.close();
                waiter.orTimeout(WAIT.toSeconds(), TimeUnit.SECONDS).join().close();
                other.ranges().next(name, 1);
            }
            assertThat(other.locks().list(user, "", 10).locks()).isEmpty();
        }
        cluster.nodes().forEach(node -> node.address().command("ACL", "DELUSER", user));
    }

    @Test
    void ofManyNamesNoMoreKeysAreLeftThanBuckets() throws Exception {
        for (int i = 0; i < 600; i++) {
            redis.locks().lock("name " + i).tryAcquire().orElseThrow().close();
        }
        Set<String> left = new HashSet<>();
        for (RedisServer node : cluster.nodes().subList(0, 3)) {
            left.addAll(
                    node.address().command("KEYS", "{" + prefix + "*").lines().toList());
        }
        assertThat(left).hasSizeBetween(200, 256).allMatch(key -> key.endsWith("}:fence"));
    }

    @Test
    void aSlotThatMovesIsFollowedAndAForgottenScriptSentAgain() throws Exception {
        String name = "name";
        String key = new RedisLockKeys(prefix).of(name).get(0);
        RedisServer from = cluster.masterOf(key);
        RedisServer to = cluster.nodes().subList(0, 3).stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        String slot = from.address().command("CLUSTER", "KEYSLOT", key);
        String fromId = from.address().command("CLUSTER", "MYID");
        String toId = to.address().command("CLUSTER", "MYID");
        String sequence = key.substring(0, key.indexOf('}') + 1); // in the same slot, by the same tag
        to.address().command("CLUSTER", "SETSLOT", slot, "IMPORTING", fromId);
        from.address().command("CLUSTER", "SETSLOT", slot, "MIGRATING", toId);
        assertThat(redis.ranges().next(sequence, 1).first()).as("by ASK").isEqualTo(1);
        assertThatThrownBy(() -> redis.locks().lock(name).tryAcquire())
                .as("several keys are refused until the slot has moved")
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("TRYAGAIN");
        CompletableFuture<Lease> waiter =
                redis.locks().lock(name).acquireAsync(WAIT).toCompletableFuture();
        to.address().command("SCRIPT", "FLUSH");
        for (RedisServer node : List.of(to, from)) {
            node.address().command("CLUSTER", "SETSLOT", slot, "NODE", toId);
        }
        List<Long> tokens = new ArrayList<>();
        Lease lease = waiter.orTimeout(WAIT.toSeconds(), TimeUnit.SECONDS).join();
        tokens.add(lease.token());
        lease.close();
        for (int i = 0; i < 3; i++) {
            try (Lease next = redis.locks().lock(name).acquire(WAIT)) {
                tokens.add(next.token());
            }
        }
        assertThat(redis.ranges().next(sequence, 1).first()).as("by MOVED").isEqualTo(2);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(redis.locks().inspect(name)).isEmpty();
        assertThat(from.address().command("CLUSTER", "COUNTKEYSINSLOT", slot)).isEqualTo("0");
    }
}
