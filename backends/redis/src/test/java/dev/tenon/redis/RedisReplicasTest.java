package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.DistributedReadWriteLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisCluster;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.RoundTrips;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a fail-over to a replica that has fallen behind loses, and what waiting for replicas changes in that. */
class RedisReplicasTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SESSION = "session";

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** The honest one: this is what Redis does by default. */
    @Test
    void aStaleReplicaGrantsTheLockAgainAndOnlyTheTokenTellsWhoIsLate() throws Exception {
        RedisServer master = cluster.nodes().get(0);
        String resource = nameNotOn(master, each -> "tenon:guarded:" + each);
        String name = nameOn(master, RedisReplicasTest::key);
        try (RedisBackend here = PatientRedis.connect(cluster.uri());
                RedisBackend there = PatientRedis.connect(cluster.uri())) {
            cutReplica(master);
            Lease old = here.locks()
                    .lock(name, LockOptions.DEFAULT.withoutRenewal())
                    .acquire(PATIENCE);
            here.fence().set(resource, "of the first", old.token());
            master.kill(); // first: else the replica would catch up
            cluster.partnerOf(master).resume();
            cluster.failOver(master);

            Lease fresh = there.locks().lock(name).acquire(PATIENCE);
            assertThat(old.state()).as("the first still believes").isEqualTo(Lease.State.HELD);
            assertThat(fresh.state()).as("so does the second").isEqualTo(Lease.State.HELD);
            assertThat(fresh.token()).isGreaterThan(old.token());
            there.fence().set(resource, "of the second", fresh.token());
            assertThatThrownBy(() -> here.fence().set(resource, "too late", old.token()))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(there.fence().value(resource)).contains("of the second");
        }
    }

    @Test
    void whatNoReplicaHasIsNotGrantedButGivenBack() {
        RedisServer master = cluster.nodes().get(2);
        String name = nameOn(master, RedisReplicasTest::key);
        try (RedisBackend redis = RedisBackend.connect(waiting(cluster.uri(), Duration.ofMillis(100)));
                RedisBackend other = PatientRedis.connect(cluster.uri())) {
            cutReplica(master);
            LockStore store = redis.lockStore();
            open(store);
            Acquire request = request(name);
            assertThatThrownBy(() -> join(store.acquire(request)))
                    .hasCauseInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("only 0 of 1 replicas");
            assertThat(other.locks().inspect(name)).as("nothing happened").isEmpty();
            assertThatThrownBy(() -> redis.locks().lock(name).tryAcquire())
                    .isInstanceOf(BackendUnavailableException.class);
            assertThat(other.locks().inspect(name)).isEmpty();
            String sequence = nameOn(master, each -> "tenon:range:" + each);
            assertThatThrownBy(() -> redis.ranges().next(sequence, 1)).isInstanceOf(OutcomeUnknownException.class);

            String held = nameOn(master, each -> each.equals(name) ? "" : key(each));
            open(other.lockStore());
            long theirs = granted(join(other.lockStore().acquire(request(held))));
            assertThatThrownBy(() -> join(store.renew(List.of(new Renew(held, theirs, Optional.of(LEASE))))))
                    .hasCauseInstanceOf(OutcomeUnknownException.class);

            // A lock that was handed over does not count either, but the request goes on waiting.
            long token = granted(join(other.lockStore().acquire(request(name))));
            CompletableFuture<Lease> waiter =
                    redis.locks().lock(name).acquireAsync(PATIENCE).toCompletableFuture();
            await().atMost(PATIENCE)
                    .until(() ->
                            other.locks().inspect(name).orElseThrow().queue().size() == 1);
            join(other.lockStore().release(List.of(new Release(name, token))));
            cluster.partnerOf(master).resume();
            Lease lease =
                    waiter.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(other.locks().validate(name, lease.token())).isTrue();
            lease.close();
        }
    }

    @Test
    void aHoldWhoseConversionNoReplicaHasIsLost() {
        RedisServer master = cluster.nodes().get(2);
        String name = nameOn(master, RedisReplicasTest::key);
        String other = nameOn(master, each -> each.equals(name) ? "" : key(each));
        try (RedisBackend redis = RedisBackend.connect(waiting(cluster.uri(), Duration.ofMillis(100)));
                RedisBackend plain = PatientRedis.connect(cluster.uri())) {
            cutReplica(master);
            open(redis.lockStore());
            open(plain.lockStore());
            long token = granted(join(plain.lockStore().acquire(request(name, Acquire.Terms.of(LockMode.UPDATE)))));
            Acquire converting =
                    request(name, Acquire.Terms.of(LockMode.EXCLUSIVE).converting(token));
            assertThat(join(redis.lockStore().acquire(converting))).isEqualTo(new Outcome.NotHeld());
            assertThat(plain.locks().inspect(name)).isEmpty();
            cluster.partnerOf(master).resume();

            DistributedReadWriteLock lock = redis.locks()
                    .readWriteLock(other, LockOptions.DEFAULT.withLease(LEASE).withoutRenewal());
            RedisFailOverTest.awaitReplicas(master);
            AtomicReference<Lease> held = new AtomicReference<>();
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> held.set(lock.updateLock().acquire(PATIENCE)));
            cutReplica(master);
            assertThatThrownBy(() -> lock.tryUpgrade(held.get(), Duration.ofMillis(50)))
                    .isInstanceOf(RuntimeException.class);
            await().atMost(PATIENCE).until(() -> held.get().state() == Lease.State.LOST);
        } finally {
            cluster.partnerOf(master).resume();
        }
    }

    @Test
    void whatAReplicaHasSurvivesTheFailOver() {
        RedisServer master = cluster.nodes().get(1);
        String name = nameOn(master, RedisReplicasTest::key);
        try (RedisBackend redis = RedisBackend.connect(waiting(cluster.uri(), Duration.ofSeconds(20)))) {
            open(redis.lockStore());
            long token = granted(join(redis.lockStore().acquire(request(name))));
            cluster.failOver(master);
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> redis.locks().validate(name, token));
        }
    }

    @Test
    void aGrantThatReplicasHaveTakesOneRoundTripAndTheirTime() throws Exception {
        RedisAddress whole = RedisCluster.shared().nodes().get(0).address();
        Iterator<String> names = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "name " + i)
                .filter(name ->
                        RedisCluster.shared().masterOf(key(name)).address().equals(whole))
                .iterator();
        try (FaultProxy proxy = FaultProxy.to(whole.socket());
                RedisBackend redis =
                        RedisBackend.connect(waiting(whole.at(proxy.address()).uri(), Duration.ofSeconds(20)))) {
            LockStore store = redis.lockStore();
            open(store);
            String counted = names.next();
            long before = proxy.exchanges();
            granted(join(store.acquire(request(counted))));
            assertThat(proxy.exchanges() - before).isEqualTo(1);
            // Long beside what the replicas take, which are processes of this machine.
            double acquire = RoundTrips.within(0.9, 1.2, Duration.ofMillis(300), line -> {
                Iterator<String> three =
                        List.of(names.next(), names.next(), names.next()).iterator();
                return RoundTrips.measure(proxy, line, 3, () -> granted(join(store.acquire(request(three.next())))));
            });
            assertThat(acquire).isBetween(0.9, 1.2);
        }
    }

    /** Has the replica of a master stand still, with all that the master has until now and nothing that comes later. */
    private static void cutReplica(RedisServer master) {
        RedisFailOverTest.awaitReplicas(master);
        cluster.partnerOf(master).pause();
        master.address().command("CLIENT", "KILL", "TYPE", "REPLICA");
        await().atMost(PATIENCE)
                .until(() -> master.address().command("INFO", "replication").contains("connected_slaves:0"));
    }

    private static RedisOptions waiting(String uri, Duration timeout) {
        return RedisOptions.of(uri).withCommandTimeout(PATIENCE).withReplicas(1, timeout);
    }

    private static String nameOn(RedisServer master, UnaryOperator<String> key) {
        return name(each -> cluster.masterOf(key.apply(each)) == master);
    }

    private static String nameNotOn(RedisServer master, UnaryOperator<String> key) {
        return name(each -> cluster.masterOf(key.apply(each)) != master);
    }

    private static String name(Predicate<String> wanted) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "name " + i)
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }

    private static String key(String name) {
        return new RedisLockKeys("tenon").of(name).get(0);
    }

    private static void open(LockStore store) {
        join(store.open(new SessionSpec(SESSION, "test", Duration.ofHours(1)), new RecordedEvents()));
    }

    private static Acquire request(String name) {
        return new Acquire(name, SESSION, UUID.randomUUID().toString(), "test", Optional.of(LEASE), Duration.ZERO);
    }

    private static Acquire request(String name, Acquire.Terms terms) {
        String id = UUID.randomUUID().toString();
        return new Acquire(name, SESSION, id, "test", Optional.of(LEASE), Duration.ZERO, terms);
    }

    private static long granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
