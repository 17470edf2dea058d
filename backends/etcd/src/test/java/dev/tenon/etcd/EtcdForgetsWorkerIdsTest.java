package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TimeSource;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdCluster;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.ForgottenHoldersScenario;
import dev.tenon.testkit.ForgottenHoldersScenario.Connection;
import dev.tenon.testkit.ForgottenHoldersScenario.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two processes issue IDs while older data are put into one etcd, or it restarts, and a third starts right after: no ID
 * comes twice.
 */
@Execution(ExecutionMode.CONCURRENT)
class EtcdForgetsWorkerIdsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Runnable NOTHING = () -> {};

    @Test
    void wiped() {
        try (EtcdServer server = EtcdServer.start()) {
            Outcome outcome = run(NOTHING, server::wipe, server.address().endpoint());
            assertThat(outcome.toldOne()).isPositive();
            assertThat(outcome.toldOther()).isPositive();
            assertWaited(outcome);
        }
    }

    @Test
    void startedWithAnOlderCopyOfItsFolder() {
        try (EtcdServer server = EtcdServer.start()) {
            assertForgotTheSecond(
                    run(server::copyData, server::putCopyBack, server.address().endpoint()));
        }
    }

    /** It comes up in the same term and under the same ID; the second has a revision that comes again. */
    @Test
    void restoredFromASnapshot() {
        try (EtcdServer server = EtcdServer.start()) {
            assertForgotTheSecond(run(
                    server::saveSnapshot,
                    server::restoreSnapshot,
                    server.address().endpoint()));
        }
    }

    /** Every lease brings its log nearer to the one of before, which was short. */
    @Test
    void restoredFromASnapshotWhereOthersAskForLeasesFirst() {
        try (EtcdServer server = EtcdServer.start()) {
            String endpoint = server.address().endpoint();
            assertForgotTheSecond(run(
                    server::saveSnapshot,
                    () -> {
                        server.restoreSnapshot();
                        grantLeases(200, endpoint);
                    },
                    endpoint));
        }
    }

    private static void grantLeases(int number, String endpoint) {
        try (EtcdLink link = new EtcdLink(EtcdOptions.of(endpoint).withCommandTimeout(PATIENCE), TimeSource.system())) {
            EtcdSlotLeases leases = new EtcdSlotLeases(link, new EtcdSlotKeys("other", "group"), new HashMap<>());
            for (int i = 0; i < number; i++) {
                leases.grant(PATIENCE.toSeconds(), link.deadline());
            }
        }
    }

    /**
     * A start of the only member looks as one with an older copy does: it makes starts wait, and nobody who runs
     * notices.
     */
    @Test
    void killedAndRestarted() {
        try (EtcdServer server = EtcdServer.start()) {
            assertForgotNothing(run(
                    NOTHING,
                    () -> {
                        server.kill();
                        server.restart();
                    },
                    server.address().endpoint()));
        }
    }

    @Test
    void itsLeaderKilled() {
        try (EtcdCluster cluster = EtcdCluster.start()) {
            String[] endpoints = cluster.sockets().stream()
                    .map(socket -> "http://" + socket.getHostString() + ":" + socket.getPort())
                    .toArray(String[]::new);
            assertForgotNothing(run(NOTHING, () -> killLeader(cluster), endpoints));
        }
    }

    private static void killLeader(EtcdCluster cluster) {
        EtcdServer leader = cluster.leader();
        leader.kill();
        await().atMost(PATIENCE).ignoreException(IllegalStateException.class).until(() -> cluster.leader() != leader);
    }

    @Test
    void whatOlderVersionsWroteIsKeptAndMakesOthersWaitOnce() {
        EtcdAddress address = EtcdServer.shared();
        EtcdOptions options = EtcdOptions.of(address.endpoint())
                .withKeyPrefix(address.keyPrefix())
                .withCommandTimeout(PATIENCE);
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        WorkerClaim claim = new WorkerClaim("new", "test", "layout", 8, PATIENCE, now, PATIENCE);
        try (EtcdBackend etcd = EtcdBackend.connect(options);
                EtcdLink link = new EtcdLink(options, TimeSource.system())) {
            EtcdSlotKeys keys = new EtcdSlotKeys(address.keyPrefix(), "group");
            EtcdSlotLeases leases = new EtcdSlotLeases(link, keys, new HashMap<>());
            long lease = leases.grant(PATIENCE.toSeconds(), link.deadline());
            long number = link.call(
                            EtcdOps.WRITE,
                            EtcdOps.all(
                                    EtcdOps.put(keys.group(), "8\nlayout"),
                                    EtcdOps.put(keys.slot(3), "old\nowner\n" + now + "\n" + Instant.EPOCH),
                                    EtcdOps.put(keys.fence(3), EtcdSlotKeys.text(now)),
                                    EtcdOps.put(keys.holder(3), PATIENCE.toSeconds() + "\nold", lease),
                                    EtcdOps.put(keys.request("old"), "3", lease)),
                            link.deadline())
                    .getHeader()
                    .getRevision();
            WorkerIdSource source = etcd.workerIds("group");
            WorkerSlot old = new WorkerSlot(3, number, Instant.EPOCH, now);
            assertThat(source.census())
                    .singleElement()
                    .satisfies(view -> assertThat(view.workerId()).isEqualTo(3));
            assertThat(source.renew(old, PATIENCE, now)).as("nothing noted").isFalse();
            assertThatThrownBy(() -> source.claim(claim.inNewStore())).isInstanceOf(WorkerIdsForgottenException.class);
            assertThat(source.claim(claim.keeping(3, number)).claim()).isEqualTo(number);
            assertThat(source.renew(old, PATIENCE, now)).isTrue();
            assertThat(source.renew(old, PATIENCE.multipliedBy(2), now)).isTrue();
            assertThat(source.renew(old, PATIENCE, now)).isTrue();
            source.release(old, now);
            assertThat(source.census().get(0).leaseLeft()).isZero();
        }
    }

    private static Outcome run(Runnable between, Runnable fault, String... endpoints) {
        try (ForgottenHoldersScenario scenario = new ForgottenHoldersScenario(() -> connect(endpoints))) {
            return scenario.run(between, fault);
        }
    }

    private static Connection connect(String... endpoints) {
        EtcdBackend etcd = await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(BackendUnavailableException.class)
                .until(
                        () -> EtcdBackend.connect(EtcdOptions.of(endpoints).withCommandTimeout(TIMEOUT)),
                        connected -> true);
        WorkerIdSource source = etcd.workerIds("group");
        return new Connection() {
            @Override
            public WorkerIdSource workerIds() {
                return source;
            }

            @Override
            public void close() {
                etcd.close();
            }
        };
    }

    private static void assertForgotTheSecond(Outcome outcome) {
        assertThat(outcome.toldOne()).as("the older data have it").isZero();
        assertThat(outcome.toldOther()).isPositive();
        assertWaited(outcome);
    }

    private static void assertForgotNothing(Outcome outcome) {
        assertThat(outcome.toldOne()).isZero();
        assertThat(outcome.toldOther()).isZero();
        assertWaited(outcome);
    }

    /** A renewal may have opened the time of waiting before. */
    private static void assertWaited(Outcome outcome) {
        assertThat(outcome.waited()).isGreaterThan(Duration.ofSeconds(1));
    }
}
