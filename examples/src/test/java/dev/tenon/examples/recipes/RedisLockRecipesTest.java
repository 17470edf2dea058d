package dev.tenon.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisFence;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code SETNX} and its successors: what goes wrong with each, and that Tenon's lock does not have that fault. */
class RedisLockRecipesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final LockOptions BRIEF =
            LockOptions.DEFAULT.withLease(Duration.ofMillis(200)).withoutRenewal();

    private static RedisAddress address;
    private static RedisClient client;
    private static RedisCommands<String, String> redis;
    private static RedisBackend here;
    private static RedisBackend there;

    private final String key = "recipe:" + UUID.randomUUID();

    @BeforeAll
    static void connect() {
        address = RedisServer.shared();
        client = RedisClient.create();
        redis = connect(address).sync();
        here = PatientRedis.connect(address.uri());
        there = PatientRedis.connect(address.uri());
    }

    @AfterAll
    static void disconnect() {
        here.close();
        there.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    private static StatefulRedisConnection<String, String> connect(RedisAddress to) {
        return client.connect(io.lettuce.core.RedisURI.create(to.uri()));
    }

    @Test
    void betweenSetNxAndExpireTheProcessDiesAndTheLockIsHeldForEver() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(address.socket());
                FaultProxy tenonsProxy = FaultProxy.to(address.socket());
                RedisBackend tenon =
                        RedisBackend.connect(address.at(tenonsProxy.address()).uri());
                StatefulRedisConnection<String, String> dying = connect(address.at(proxy.address()))) {
            SetNxExpireLock lock = new SetNxExpireLock(dying.sync(), HOUR);
            dying.setTimeout(Duration.ofMillis(200));
            proxy.dropReplies(); // the first command arrives, and nothing after it
            assertThatThrownBy(() -> lock.tryLock(key)).isInstanceOf(RedisCommandTimeoutException.class);
            await().atMost(PATIENCE).until(() -> address.command("EXISTS", key).equals("1"));
            assertThat(address.command("PTTL", key)).as("it has no end").isEqualTo("-1");
            assertThat(new SetNxExpireLock(redis, HOUR).tryLock(key)).isFalse();

            tenon.locks().lock("warm:" + key).acquire(PATIENCE).close();
            tenonsProxy.dropReplies();
            // Long enough to be seen.
            LockOptions seen = BRIEF.withLease(Duration.ofSeconds(2));
            CompletableFuture<Lease> dyingToo =
                    tenon.locks().lock(key, seen).acquireAsync(PATIENCE).toCompletableFuture();
            await().atMost(PATIENCE).until(() -> here.locks().inspect(key).isPresent());
            tenonsProxy.cut();
            here.locks().lock(key).acquire(PATIENCE).close();
            tenonsProxy.heal();
            assertThat(dyingToo).isNotCompletedExceptionally();
        }
    }

    @Test
    void withoutAnOwnerTheLateHolderDeletesTheNextOnesLock() throws Exception {
        SetNxPxLock late = new SetNxPxLock(redis, MOMENT);
        SetNxPxLock next = new SetNxPxLock(redis, HOUR);
        assertThat(late.tryLock(key)).isTrue();
        await().atMost(PATIENCE).until(() -> next.tryLock(key));
        late.unlock(key);
        assertThat(new SetNxPxLock(redis, HOUR).tryLock(key)).as("two have it").isTrue();

        Lease lateLease = here.locks().lock(key, BRIEF).acquire(PATIENCE);
        Lease nextLease = there.locks().lock(key).acquire(PATIENCE);
        lateLease.close();
        assertThat(here.locks().lock(key).tryAcquire()).isEmpty();
        assertThat(here.locks().validate(key, nextLease.token())).isTrue();
        nextLease.close();
    }

    @Test
    void withAnOwnerTheNextOnesLockStaysButNotItsWork() throws Exception {
        OwnedRedisLock paused = new OwnedRedisLock(redis, MOMENT);
        OwnedRedisLock next = new OwnedRedisLock(redis, HOUR);
        assertThat(paused.tryLock(key)).isTrue();
        assertThat(next.tryLock(key, PATIENCE)).isTrue();
        redis.set("shelf:" + key, "the next one's");
        redis.set("shelf:" + key, "the paused one's"); // it wakes up and goes on where it was
        assertThat(paused.unlock(key)).as("it learns of it afterwards").isFalse();
        assertThat(new OwnedRedisLock(redis, HOUR).tryLock(key)).isFalse();
        assertThat(redis.get("shelf:" + key)).as("overwritten").isEqualTo("the paused one's");

        Lease pausedLease = here.locks().lock(key, BRIEF).acquire(PATIENCE);
        Lease nextLease = there.locks().lock(key).acquire(PATIENCE);
        RedisFence fence = here.fence();
        fence.set(key, "the next one's", nextLease.token());
        assertThatThrownBy(() -> fence.set(key, "the paused one's", pausedLease.token()))
                .isInstanceOf(StaleTokenException.class);
        assertThat(fence.value(key)).contains("the next one's");
        nextLease.close();
    }

    @Test
    void acquiringHasATimeLimit() throws Exception {
        OwnedRedisLock holder = new OwnedRedisLock(redis, HOUR);
        OwnedRedisLock waiter = new OwnedRedisLock(redis, HOUR);
        assertThat(holder.tryLock(key)).isTrue();
        assertThat(waiter.tryLock(key, Duration.ofMillis(30))).isFalse();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return waiter.tryLock(key, PATIENCE);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(holder.unlock(key)).isTrue();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(holder.unlock(key)).isFalse();
        assertThat(waiter.unlock(key)).isTrue();
    }

    /** A replica takes over that has not heard of the lock yet. */
    @Test
    void aFailOverForgetsTheLock() throws Exception {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start()) {
            RedisAddress before = primary.address();
            RedisAddress after = replica.address();
            before.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
            after.command("REPLICAOF", before.host(), String.valueOf(before.port()));
            await().atMost(PATIENCE)
                    .until(() -> after.command("INFO", "replication").contains("master_link_status:up"));
            after.command("REPLICAOF", "NO", "ONE");
            try (StatefulRedisConnection<String, String> old = connect(before);
                    StatefulRedisConnection<String, String> promoted = connect(after);
                    RedisBackend onOld = PatientRedis.connect(before.uri());
                    RedisBackend onPromoted = PatientRedis.connect(after.uri())) {
                assertThat(new OwnedRedisLock(old.sync(), HOUR).tryLock(key)).isTrue();
                Lease first = onOld.locks().lock(key).acquire(PATIENCE);
                primary.kill();
                assertThat(new OwnedRedisLock(promoted.sync(), HOUR).tryLock(key))
                        .as("two have it, and nothing tells them apart")
                        .isTrue();

                Lease second = onPromoted.locks().lock(key).acquire(PATIENCE);
                RedisFence fence = onPromoted.fence();
                fence.set(key, "second", second.token());
                assertThatThrownBy(() -> fence.set(key, "first", first.token()))
                        .as("two have Tenon's lock as well, but the first one's writes are refused")
                        .isInstanceOf(StaleTokenException.class);
            }
        }
    }
}
