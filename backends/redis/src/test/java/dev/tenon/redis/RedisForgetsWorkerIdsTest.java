package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.testkit.ForgottenHoldersScenario;
import dev.tenon.testkit.ForgottenHoldersScenario.Connection;
import dev.tenon.testkit.ForgottenHoldersScenario.Outcome;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisCluster;
import dev.tenon.testkit.RedisSentinels;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two processes issue IDs while one Redis forgets or restarts, and a third starts right after: no ID comes twice. */
@Execution(ExecutionMode.CONCURRENT)
class RedisForgetsWorkerIdsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Runnable NOTHING = () -> {};

    @Test
    void killedWithoutPersistence() {
        try (RedisServer server = RedisServer.start()) {
            Outcome outcome = run(server, NOTHING, () -> killAndRestart(server));
            assertThat(outcome.toldOne()).isPositive();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    @Test
    void restartedFromAnOlderDump() {
        try (RedisServer server = RedisServer.start()) {
            Outcome outcome = run(server, () -> server.address().command("SAVE"), () -> killAndRestart(server));
            assertThat(outcome.toldOne()).as("the dump has it").isZero();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    @Test
    void emptiedWhileItRuns() {
        try (RedisServer server = RedisServer.start()) {
            Outcome outcome = run(server, NOTHING, () -> server.address().command("FLUSHALL"));
            assertThat(outcome.toldOne()).isPositive();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    @Test
    void ofOneKeyEvicted() {
        try (RedisServer server = RedisServer.start()) {
            Outcome outcome =
                    run(server, NOTHING, () -> server.address().command("DEL", "{tenon:workers:group}:slots"));
            assertThat(outcome.toldOne()).isPositive();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    /** Redis can't know that its log has all: it makes starts wait, and nobody who runs notices. */
    @Test
    void killedWithALogThatIsFlushedEachSecond() {
        try (RedisServer server = RedisServer.startLogged()) {
            server.address().command("CONFIG", "SET", "appendfsync", "everysec");
            assertForgotNothing(run(server, NOTHING, () -> killAndRestart(server)));
        }
    }

    @Test
    void killedWithALogThatIsFlushedEachTime() {
        try (RedisServer server = RedisServer.startDurable()) {
            assertForgotNothing(run(server, NOTHING, () -> killAndRestart(server)));
        }
    }

    /** Of a master that has failed, the replica that takes over does not know the claim that it was too late for. */
    @Test
    void failedOverToAReplicaThatWasBehind() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisServer master = group.master();
            List<RedisServer> replicas =
                    group.servers().stream().filter(server -> server != master).toList();
            Outcome outcome = run(group.uri(), () -> cutReplicas(master, replicas), () -> {
                master.kill(); // first: else they would catch up
                replicas.forEach(RedisServer::resume);
                group.promoted(master);
            });
            assertThat(outcome.toldOne()).as("the replica knows it").isZero();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    @Test
    void failedOverInACluster() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisServer master = cluster.masterOf("{tenon:workers:group}:group");
            RedisServer replica = cluster.partnerOf(master);
            Outcome outcome = run(cluster.uri(), () -> cutReplicas(master, List.of(replica)), () -> {
                master.kill();
                replica.resume();
                cluster.failOver(master);
            });
            assertThat(outcome.toldOne()).as("the replica knows it").isZero();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    private static void cutReplicas(RedisServer master, List<RedisServer> replicas) {
        RedisFailOverTest.awaitReplicas(master);
        replicas.forEach(RedisServer::pause);
        master.address().command("CLIENT", "KILL", "TYPE", "REPLICA");
        await().atMost(PATIENCE)
                .until(() -> master.address().command("INFO", "replication").contains("connected_slaves:0"));
    }

    /** Then older data that come back are not noticed; what is gone is. */
    @Test
    void whoMayNotAskForItsIncarnationTakesTheNotedOneForTrue() {
        try (RedisServer server = RedisServer.start()) {
            server.address()
                    .command(("ACL SETUSER blind on >secret ~{tenon:* &tenon:* +@connection +@scripting +@read +@write"
                                    + " +@pubsub +time")
                            .split(" "));
            String uri = server.address().uri();
            try (RedisBackend blind = PatientRedis.connect(uri.replace("://", "://blind:secret@"));
                    RedisBackend seeing = PatientRedis.connect(uri)) {
                WorkerIdSource blinds = blind.workerIds("group");
                WorkerSlot slot = blinds.claim(claim().inNewStore());
                assertThat(blinds.renew(slot, PATIENCE, Instant.now())).isTrue();
                assertThat(seeing.workerIds("group").renew(slot, PATIENCE, Instant.now()))
                        .as("the first that may ask makes it known")
                        .isFalse();
                assertThatThrownBy(() -> seeing.workerIds("group").claim(claim()))
                        .isInstanceOf(WorkerIdsForgottenException.class);
                assertThat(blinds.renew(slot, PATIENCE, Instant.now())).isTrue();
                assertThat(seeing.workerIds("group").renew(slot, PATIENCE, Instant.now()))
                        .isTrue();
                server.address().command("FLUSHALL");
                assertThatThrownBy(() -> blinds.claim(claim())).isInstanceOf(WorkerIdsForgottenException.class);
            }
        }
    }

    @Test
    void whatOlderVersionsWroteIsKeptAndMakesOthersWaitOnce() {
        RedisAddress address = RedisServer.shared();
        try (RedisBackend redis = PatientRedis.connect(address.uri())) {
            WorkerIdSource source = redis.workerIds("group");
            WorkerSlot slot = source.claim(claim().inNewStore());
            address.command("HDEL {tenon:workers:group}:group incarnation settledAt longestLease".split(" "));
            assertThat(source.renew(slot, PATIENCE, Instant.now())).isFalse();
            assertThatThrownBy(() -> source.claim(claim().inNewStore()))
                    .isInstanceOf(WorkerIdsForgottenException.class);
            assertThat(source.claim(claim().keeping(slot.workerId(), slot.claim()))
                            .claim())
                    .isEqualTo(slot.claim());
            assertThat(source.renew(slot, PATIENCE, Instant.now())).isTrue();
        }
    }

    private static WorkerClaim claim() {
        return new WorkerClaim(UUID.randomUUID().toString(), "test", "layout", 8, PATIENCE, Instant.now(), PATIENCE);
    }

    private static void killAndRestart(RedisServer server) {
        server.kill();
        server.restart();
    }

    private static Outcome run(RedisServer server, Runnable between, Runnable fault) {
        return run(server.address().uri(), between, fault);
    }

    private static Outcome run(String uri, Runnable between, Runnable fault) {
        try (ForgottenHoldersScenario scenario = new ForgottenHoldersScenario(() -> connect(uri))) {
            return scenario.run(between, fault);
        }
    }

    static Connection connect(String uri) {
        RedisBackend redis = PatientRedis.connect(uri);
        WorkerIdSource source = redis.workerIds("group");
        return new Connection() {
            @Override
            public WorkerIdSource workerIds() {
                return source;
            }

            @Override
            public void close() {
                redis.close();
            }
        };
    }

    private static void assertForgotNothing(Outcome outcome) {
        assertThat(outcome.toldOne()).isZero();
        assertThat(outcome.toldOther()).isZero();
        assertWaited(outcome);
    }

    /** A renewal may have opened the time of waiting before. */
    static void assertWaited(Outcome outcome) {
        assertThat(outcome.waited()).isGreaterThan(Duration.ofSeconds(1));
    }
}
