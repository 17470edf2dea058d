package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Five real servers, of which some are dead, stopped or empty. */
class RedisQuorumFaultsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(1500);
    private static final LockOptions BRIEF =
            LockOptions.DEFAULT.withLease(Duration.ofMillis(500)).withoutRenewal();

    private final List<RedisServer> servers =
            IntStream.range(0, 5).mapToObj(i -> RedisServer.start()).toList();
    private final List<RedisQuorum> quorums = new ArrayList<>();
    private final String name = "quorum:" + UUID.randomUUID();
    private Locks here;
    private Locks there;

    @BeforeEach
    void connectTwice() {
        here = connect().locks();
        there = connect().locks();
    }

    @AfterEach
    void close() {
        servers.forEach(RedisServer::close);
        quorums.forEach(RedisQuorum::disconnect);
    }

    @Test
    void twoDeadNodesOfFiveAreNotMissed() throws Exception {
        Lease before = here.lock(name).acquire(PATIENCE);
        servers.get(0).kill();
        servers.get(3).kill();
        assertThat(there.lock(name).tryAcquire()).isEmpty();
        before.close();
        try (Lease next = there.lock(name).acquire(PATIENCE)) {
            assertThat(next.token()).isGreaterThan(before.token());
            assertThat(here.validate(name, next.token())).isTrue();
            assertThat(here.lock(name).tryAcquire()).isEmpty();
        }
        try (Lease late = connect().locks().lock(name).acquire(PATIENCE)) {
            assertThat(late.token()).isGreaterThan(before.token());
        }
        servers.get(3).restart();
        await().atMost(PATIENCE).untilAsserted(() -> {
            here.lock(name + "-3").acquire(PATIENCE).close();
            try (Lease lease = here.lock(name + "-2").acquire(PATIENCE)) {
                assertThat(holdsOf(3, name + "-2")).isEqualTo(1);
                assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            }
        });
    }

    @Test
    void aMajorityOfDeadNodesIsAnErrorAndNothingStaysHeld() {
        for (int i = 0; i < 3; i++) {
            servers.get(i).kill();
        }
        assertThatThrownBy(() -> here.lock(name).tryAcquire())
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("of 5 Redis nodes answer, and 3 are needed");
        assertThatThrownBy(() -> here.lock(name).acquire(Duration.ofSeconds(1)))
                .isInstanceOf(BackendUnavailableException.class);
        for (int i = 3; i < 5; i++) {
            int left = i;
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(holdsOf(left, name)).isZero());
        }
        assertThatThrownBy(this::connect).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aLeaseIsLostInTimeIfAMajorityDies() throws Exception {
        Lease lease = here.lock(name, LockOptions.DEFAULT.withLease(Duration.ofSeconds(2)))
                .acquire(PATIENCE);
        for (int i = 0; i < 3; i++) {
            servers.get(i).kill();
        }
        assertThat(lease.lost().toCompletableFuture().get(30, TimeUnit.SECONDS)).isInstanceOf(LeaseLostException.class);
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void aStoppedNodeCostsNoMoreThanItsTimeout() throws Exception {
        here.lock(name).acquire(PATIENCE).close();
        servers.get(1).pause();
        try {
            for (int i = 0; i < 3; i++) { // names begin at different nodes
                AwakeTime awake = AwakeTime.start();
                Lease lease = here.lock(name + i).acquire(PATIENCE);
                assertThat(awake.elapsed()).isLessThan(PATIENCE.dividedBy(2));
                assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(10));
                lease.close();
            }
        } finally {
            servers.get(1).resume();
        }
        // What the stopped node had been told before is done late, and undone or run out later.
        try (Lease lease = there.lock(name).acquire(PATIENCE)) {
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        }
    }

    @Test
    void aNodeThatCameBackEmptyNeitherFreesALockNorTurnsTokensBack() throws Exception {
        Lease held = here.lock(name).acquire(PATIENCE);
        RedisServer forgetful = servers.get(2);
        forgetful.kill();
        forgetful.restart();
        assertThat(forgetful.address().command("DBSIZE")).isEqualTo("0");
        assertThat(there.lock(name).tryAcquire()).isEmpty();
        assertThat(there.validate(name, held.token())).isTrue();
        held.close();
        try (Lease next = there.lock(name).acquire(PATIENCE)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
    }

    @Test
    void contendersTakeTurnsWhileANodeDies() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (Locks process :
                    List.of(here, there, connect().locks(), connect().locks())) {
                runs.add(threads.submit(() -> {
                    for (int i = 0; i < 10; i++) {
                        try (Lease lease = process.lock(name).acquire(Duration.ofMinutes(2))) {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            tokens.add(lease.token());
                            if (tokens.size() == 12) {
                                servers.get(4).kill();
                            }
                            inside.decrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> run : runs) {
                run.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(List.copyOf(tokens)).hasSize(40).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aHolderThatSleptPastItsLeaseIsRefusedByTheFence() throws Exception {
        try (RedisBackend resource =
                PatientRedis.connect(servers.get(0).address().uri())) {
            Lease sleeper = here.lock(name, BRIEF).acquire(PATIENCE);
            try (Lease next = there.lock(name).acquire(PATIENCE)) { // as soon as the first lease is over
                resource.fence().set(name, "of the second", next.token());
            }
            assertThatThrownBy(() -> resource.fence().set(name, "of the first", sleeper.token()))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(resource.fence().value(name)).contains("of the second");
        }
    }

    @Test
    void theOtherKindsOfLocksWorkTooButPermitsNeedEveryNode() throws Exception {
        Lock java = here.lock(name).asJavaLock();
        java.lock();
        assertThat(there.lock(name).tryAcquire()).isEmpty();
        java.unlock();
        Lease reader = here.readWriteLock(name).readLock().acquire(PATIENCE);
        Lease update = there.readWriteLock(name).updateLock().acquire(PATIENCE);
        assertThat(there.readWriteLock(name).tryUpgrade(update)).isEmpty();
        reader.close();
        try (Lease writer = there.readWriteLock(name).upgrade(update, PATIENCE)) {
            assertThat(writer.token()).isGreaterThan(update.token());
            assertThat(here.readWriteLock(name).readLock().tryAcquire()).isEmpty();
        }
        here.semaphore(name, 2).acquire(PATIENCE).close();
        servers.get(1).kill();
        assertThatThrownBy(() -> here.semaphore(name, 2).tryAcquire())
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("5 are needed");
    }

    @Test
    void whatIsNoQuorumIsRefused() {
        String uri = servers.get(0).address().uri();
        String other = servers.get(1).address().uri();
        assertThatThrownBy(() -> RedisQuorum.connect(uri, other)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RedisQuorum.connect(uri, other, uri)).isInstanceOf(IllegalArgumentException.class);
    }

    private RedisQuorum connect() {
        RedisQuorum quorum = RedisQuorum.connect(servers.stream()
                .map(server -> RedisOptions.of(server.address().uri()).withCommandTimeout(NODE_TIMEOUT))
                .toList());
        quorums.add(quorum);
        return quorum;
    }

    /** How many locks of this name are in a server: one that is held by anybody, or none. */
    private long holdsOf(int server, String lock) {
        String keys = servers.get(server).address().command("KEYS", "*:lock:" + lock);
        return keys.isEmpty() ? 0 : keys.lines().count();
    }
}
