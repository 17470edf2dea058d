package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ResumedRanges;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.MaintenanceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What callers are told, and what is in the store, when etcd or the line to it fails. */
class EtcdFaultsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(1500);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int CUTS = 15;

    private final EtcdServer server = EtcdServer.start();
    private final EtcdAddress address = server.address();
    private final FaultProxy proxy = FaultProxy.to(server.socket());
    private final EtcdOptions options = EtcdOptions.of(address.endpoint())
            .withKeyPrefix(address.keyPrefix())
            .withCommandTimeout(PATIENCE);
    private final EtcdBackend direct = EtcdBackend.connect(options);
    private final EtcdBackend etcd =
            EtcdBackend.connect(through(address.at(proxy.address()).endpoint()).withCommandTimeout(TIMEOUT));

    private EtcdOptions through(String... endpoints) {
        return EtcdOptions.of(endpoints).withKeyPrefix(address.keyPrefix()).withCommandTimeout(PATIENCE);
    }

    @AfterEach
    void close() {
        proxy.heal();
        etcd.close();
        direct.close();
        proxy.close();
        server.close();
    }

    @Test
    void nothingHappensWhereThereIsNoEtcd() {
        EtcdOptions nowhere = EtcdOptions.of("http://127.0.0.1:1").withCommandTimeout(TIMEOUT);
        AwakeTime awake = AwakeTime.start();
        assertThatThrownBy(() -> EtcdBackend.connect(nowhere))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
        proxy.blackhole();
        EtcdOptions silent = through(address.at(proxy.address()).endpoint()).withCommandTimeout(TIMEOUT);
        assertThatThrownBy(() -> EtcdBackend.connect(silent)).isInstanceOf(BackendUnavailableException.class);
        assertThat(awake.elapsed()).isLessThan(TIMEOUT.multipliedBy(8));
    }

    @Test
    void aConnectionThatIsDownIsUnavailableAtOnceAndComesBackByItself() {
        long last = etcd.ranges().next("sequence", 10).last();
        proxy.refuseNew();
        proxy.cut();
        // Again if need be: it must have heard of it, and a busy machine is slow by itself.
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            AwakeTime awake = AwakeTime.start();
            assertThatThrownBy(() -> etcd.ranges().next("sequence", 1)).isInstanceOf(BackendUnavailableException.class);
            assertThatThrownBy(() -> etcd.workerIds("group").claim(claim()))
                    .isInstanceOf(BackendUnavailableException.class);
            assertThat(awake.elapsed()).isLessThan(TIMEOUT);
        });

        proxy.acceptNew();
        ResumedRanges.assertGoOnAfter(last, etcd.ranges(), "sequence", 1);
    }

    @Test
    void aLostReplyIsUnknownAndWhatWasTakenIsNotGivenAgain() {
        long first = etcd.ranges().next("sequence", 10).last();
        WorkerSlot slot = etcd.workerIds("group").claim(claim());
        proxy.dropReplies();
        long start = System.nanoTime();
        AwakeTime awake = AwakeTime.start();
        assertThatThrownBy(() -> etcd.ranges().next("sequence", 10)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(TIMEOUT);
        assertThat(awake.elapsed()).isLessThanOrEqualTo(TIMEOUT.multipliedBy(5));
        assertThat(direct.ranges().next("sequence", 1).first()).isEqualTo(first + 11);
        proxy.heal();
        ResumedRanges.assertGoOnAfter(first + 11, etcd.ranges(), "sequence", 1);

        proxy.dropReplies();
        assertThatThrownBy(() -> etcd.workerIds("group").release(slot, Instant.now()))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(direct.workerIds("group").census().get(0).leaseLeft()).isZero();
    }

    @Test
    void whatOnlyAsksIsUnavailableWhenItsReplyIsLost() {
        proxy.dropReplies();
        assertThatThrownBy(() -> etcd.ranges().definition("sequence")).isInstanceOf(BackendUnavailableException.class);
        // A claim begins with a question.
        assertThatThrownBy(() -> etcd.workerIds("group").claim(claim()))
                .isInstanceOf(BackendUnavailableException.class);
        assertThat(direct.workerIds("group").census()).isEmpty();
    }

    @Test
    void aCallInFlightWhenTheConnectionIsCutIsUnknownAtOnceAndNotRepeated() {
        try (EtcdBackend patient =
                EtcdBackend.connect(through(address.at(proxy.address()).endpoint()))) {
            IdRange first = patient.ranges().next("sequence", 10);
            proxy.delay(Duration.ZERO, Duration.ofMinutes(2));
            CompletableFuture<IdRange> cut = CompletableFuture.supplyAsync(
                    () -> patient.ranges().next("sequence", 10), EtcdFaultsTest::inThread);
            await().until(() -> direct.ranges().raiseTo("sequence", 0) > first.last() + 1);
            AwakeTime awake = AwakeTime.start();
            proxy.cut();
            assertThatThrownBy(cut::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(OutcomeUnknownException.class);
            assertThat(awake.elapsed()).isLessThan(PATIENCE.dividedBy(2));
            proxy.delay(Duration.ZERO);
            ResumedRanges.assertGoOnAfter(first.last() + 10, patient.ranges(), "sequence", 10);
        }
    }

    @Test
    void aClaimThatIsCutOffAnywhereIsFoundOrMadeAnewByTheSameRequest() throws Exception {
        for (int round = 0; round < CUTS; round++) {
            String group = "group-" + round;
            WorkerClaim claim = claim();
            AtomicReference<WorkerSlot> slot = new AtomicReference<>();
            CompletableFuture<Void> claimed = CompletableFuture.runAsync(
                    () -> slot.set(eventually(() -> etcd.workerIds(group).claim(claim))), EtcdFaultsTest::inThread);
            TimeSource.system()
                    .park(Duration.ofNanos(ThreadLocalRandom.current().nextInt(20_000_000)));
            proxy.cut();
            claimed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(direct.workerIds(group).census()).hasSize(1);
            assertThat(direct.workerIds(group).renew(slot.get(), LEASE, Instant.now()))
                    .isTrue();
        }
    }

    @Test
    void rangesFencesAndLeasesSurviveAKillOfEtcd() {
        long last = etcd.ranges().next("sequence", 1000).last();
        WorkerSlot slot = etcd.workerIds("group").claim(claim());
        Instant fence = slot.fence().plusSeconds(60);
        assertThat(etcd.workerIds("group").renew(slot, LEASE, fence)).isTrue();
        server.kill();
        assertThatThrownBy(() -> etcd.ranges().next("sequence", 1)).isInstanceOf(TenonException.class);
        server.restart();
        ResumedRanges.assertGoOnAfter(last, etcd.ranges(), "sequence", 1);
        // It can't say that it has forgotten nothing: who holds a slot says so, and others wait.
        assertThat(eventually(() -> etcd.workerIds("group").renew(slot, LEASE, fence)))
                .isFalse();
        WorkerClaim keeping = claim().keeping(slot.workerId(), slot.claim());
        assertThat(etcd.workerIds("group").claim(keeping).claim()).isEqualTo(slot.claim());
        assertThat(etcd.workerIds("group").renew(slot, LEASE, fence)).isTrue();
        assertThat(etcd.workerIds("group").census().get(0).fence()).isEqualTo(fence);
        assertThatThrownBy(() -> etcd.workerIds("group").claim(claim()))
                .isInstanceOf(WorkerIdsForgottenException.class);
    }

    @Test
    void anEtcdThatStandsStillEndsCallsInTimeAndGoesOnAfterwards() {
        long last = etcd.ranges().next("sequence", 1).last();
        server.pause();
        AwakeTime awake = AwakeTime.start();
        assertThatThrownBy(() -> etcd.ranges().next("sequence", 1)).isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> etcd.ranges().next("sequence", 1)).isInstanceOf(BackendUnavailableException.class);
        assertThat(awake.elapsed()).isLessThan(TIMEOUT.multipliedBy(6));
        server.resume();
        assertThat(eventually(() -> etcd.ranges().next("sequence", 1)).first()).isGreaterThan(last);
    }

    @Test
    void aLeaseThatRanOutWhileEtcdStoodStillIsNotRevived() {
        WorkerIdSource source = direct.workerIds("group");
        WorkerSlot slot = source.claim(new WorkerClaim(
                        UUID.randomUUID().toString(), "test", "layout", 1, Duration.ofMillis(1), Instant.now(), LEASE)
                .inNewStore());
        server.pause();
        long start = System.nanoTime();
        await().until(() -> Duration.ofNanos(System.nanoTime() - start).compareTo(Duration.ofMillis(3500)) > 0);
        server.resume();
        assertThat(source.renew(slot, Duration.ofMillis(1), slot.fence().plusSeconds(9)))
                .isFalse();
        assertThat(source.census().get(0).fence()).isEqualTo(EtcdSlotKeys.roundUp(slot.fence()));
    }

    @Test
    void theNextMemberIsAskedWhenOneIsDown() {
        try (FaultProxy other = FaultProxy.to(server.socket());
                EtcdBackend both = EtcdBackend.connect(through(
                        "http://127.0.0.1:1",
                        address.at(proxy.address()).endpoint(),
                        address.at(other.address()).endpoint()))) {
            long last = both.ranges().next("sequence", 1).last();
            proxy.refuseNew();
            proxy.cut();
            await().until(() -> proxy.openConnections() == 0);
            ResumedRanges.assertGoOnAfter(last, both.ranges(), "sequence", 1);
            assertThat(other.connections()).isPositive();
        }
    }

    @Test
    void anEtcdThatIsFullRefusesBeforeItHasDoneAnything() {
        long last = etcd.ranges().next("sequence", 1).last();
        alarm(AlarmRequest.AlarmAction.ACTIVATE);
        assertThatThrownBy(() -> etcd.ranges().next("sequence", 1))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("space exceeded");
        alarm(AlarmRequest.AlarmAction.DEACTIVATE);
        assertThat(etcd.ranges().next("sequence", 1).first()).isEqualTo(last + 1);
    }

    @Test
    void aStoreThatWasRolledBackIsNotWrittenOverButShown() {
        etcd.ranges().next("sequence", 10);
        etcd.ranges().next("sequence", 10);
        write("/range/sequence", "1 1 " + Long.MAX_VALUE + " 10");
        assertThat(etcd.ranges().next("sequence", 1).first()).isEqualTo(11);
    }

    @Test
    void aValueOfSomebodyElseIsSaidAndLeftAlone() {
        write("/range/sequence", "hello");
        assertThatThrownBy(() -> etcd.ranges().next("sequence", 1))
                .isExactlyInstanceOf(TenonException.class)
                .hasMessageContaining(address.keyPrefix() + "/range/sequence");
        assertThatThrownBy(() -> direct.ranges().definition("sequence")).isExactlyInstanceOf(TenonException.class);
    }

    @Test
    void aBackendIsClosedTwiceAndWithoutEtcd() {
        server.kill();
        etcd.close();
        etcd.close();
        assertThatThrownBy(() -> etcd.ranges().next("name", 1)).isInstanceOf(BackendUnavailableException.class);
    }

    private static WorkerClaim claim() {
        return new WorkerClaim(UUID.randomUUID().toString(), "test", "layout", 16, LEASE, Instant.now(), LEASE)
                .inNewStore();
    }

    private static void inThread(Runnable work) {
        new Thread(work).start();
    }

    private void alarm(AlarmRequest.AlarmAction action) {
        try (EtcdLink link = new EtcdLink(options, TimeSource.system())) {
            EtcdLink.Method<AlarmRequest, AlarmResponse> method =
                    new EtcdLink.Method<>(MaintenanceGrpc.getAlarmMethod(), true);
            AlarmRequest request = AlarmRequest.newBuilder()
                    .setAction(action)
                    .setAlarm(AlarmType.NOSPACE)
                    .build();
            link.call(method, request, link.deadline());
        }
    }

    private void write(String key, String value) {
        try (EtcdLink link = new EtcdLink(options, TimeSource.system())) {
            link.call(EtcdOps.WRITE, EtcdOps.all(EtcdOps.put(address.keyPrefix() + key, value)), link.deadline());
        }
    }

    /** The answer once the connection is back. */
    private static <T> T eventually(Supplier<T> call) {
        AtomicReference<T> answer = new AtomicReference<>();
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(() -> {
                    answer.set(call.get());
                    return true;
                });
        return answer.get();
    }
}
