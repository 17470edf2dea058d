package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.ResumedRanges;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What callers are told, and what is kept, when a ZooKeeper server dies or stands still. */
class ZooKeeperKillTest {
    private static final Duration IMPATIENCE = Duration.ofMillis(1500);
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final ZooKeeperServer server = ZooKeeperServer.startDurable();
    private final ZooKeeperBackend zooKeeper = ZooKeeperBackend.connect(
            server.address().connectString(), ZooKeeperOptions.DEFAULT.withRequestTimeout(Duration.ofSeconds(30)));

    @AfterEach
    void close() {
        zooKeeper.close();
        server.close();
    }

    @Test
    void aServerThatStandsStillIsUnknownInTimeAndWhatItDoesLaterRepeatsNothing() {
        try (ZooKeeperBackend impatient = impatient()) {
            IdRange first = eventually(() -> impatient.ranges().next("sequence", 10));
            server.pause();
            AwakeTime awake = AwakeTime.start();
            assertThatThrownBy(() -> impatient.ranges().next("sequence", 10))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThatThrownBy(() -> impatient.ranges().next("sequence", 10)).isInstanceOf(TenonException.class);
            assertThatThrownBy(() -> impatient.workerIds("group").census()).isInstanceOf(TenonException.class);
            assertThat(awake.elapsed()).isLessThan(IMPATIENCE.multipliedBy(8));
            server.resume();
            IdRange next = eventually(() -> impatient.ranges().next("sequence", 10));
            assertThat(next.first()).isGreaterThan(first.last());
            assertThat(zooKeeper.ranges().next("sequence", 10).first()).isEqualTo(next.last() + 1);
        }
    }

    @Test
    void whatWasAcknowledgedSurvivesAKillOfTheServer() {
        WorkerSlot slot = zooKeeper.workerIds("group").claim(claim("request"));
        Instant fence = Instant.ofEpochMilli(slot.fence().toEpochMilli() + 77_000);
        assertThat(zooKeeper.workerIds("group").renew(slot, LEASE, fence)).isTrue();
        long last = zooKeeper.ranges().next("sequence", 1000).last();
        zooKeeper.ranges().define("defined", new RangeDefinition(5, 5, 500));
        long version = zooKeeper.nodeVersions("name").nextId();
        ZooKeeperVersionGenerator transactions = zooKeeper.transactionIds();
        long transaction = transactions.nextId();
        server.kill();
        server.restart();
        ResumedRanges.assertGoOnAfter(last, zooKeeper.ranges(), "sequence", 1);
        assertThat(zooKeeper.ranges().definition("defined")).contains(new RangeDefinition(5, 5, 500));
        assertThat(zooKeeper.nodeVersions("name").nextId()).isEqualTo(version + 1);
        assertThat(transactions.nextId()).isGreaterThan(transaction);
        assertThat(zooKeeper.workerIds("group").renew(slot, LEASE, fence))
                .as("another run of the server, which may have forgotten")
                .isFalse();
        WorkerSlot kept = zooKeeper.workerIds("group").claim(claim("again").keeping(slot.workerId(), slot.claim()));
        assertThat(kept.claim()).as("it had not").isEqualTo(slot.claim());
        assertThat(zooKeeper.workerIds("group").renew(slot, LEASE, fence)).isTrue();
        assertThat(zooKeeper.workerIds("group").census().get(0).fence()).isEqualTo(kept.fence());
    }

    @Test
    void whoHoldsOrWaitsWhenTheServerIsKilledDoesSoWhenItIsBack() throws Exception {
        try (ZooKeeperBackend other = PatientZooKeeper.connect(server.address())) {
            Lease first = zooKeeper.locks().lock("name").acquire(Duration.ofSeconds(30));
            CompletableFuture<Lease> waiter = other.locks()
                    .lock("name")
                    .acquireAsync(Duration.ofSeconds(60))
                    .toCompletableFuture();
            await().until(() ->
                    zooKeeper.locks().inspect("name").orElseThrow().queue().size() == 1);
            server.kill();
            server.restart();
            assertThat(eventually(() -> zooKeeper.locks().validate("name", first.token())))
                    .isTrue();
            assertThat(waiter).isNotDone();
            first.close();
            Lease next = waiter.get(40, TimeUnit.SECONDS);
            assertThat(next.token()).isGreaterThan(first.token());
            next.close();
        }
    }

    @Test
    void aBackendIsClosedTwiceAndWithoutZooKeeper() {
        ZooKeeperBackend impatient = impatient();
        eventually(() -> impatient.ranges().next("sequence", 10));
        assertThat(eventually(() -> impatient.locks().lock("name").tryAcquire()))
                .isPresent();
        server.kill();
        AwakeTime awake = AwakeTime.start();
        impatient.close();
        impatient.close();
        assertThatThrownBy(() -> impatient.ranges().next("name", 1)).isInstanceOf(BackendUnavailableException.class);
        assertThat(awake.elapsed()).isLessThan(Duration.ofSeconds(10));
    }

    private ZooKeeperBackend impatient() {
        return eventually(() -> ZooKeeperBackend.connect(
                server.address().connectString(), ZooKeeperOptions.DEFAULT.withRequestTimeout(IMPATIENCE)));
    }

    private static WorkerClaim claim(String request) {
        return new WorkerClaim(request, "test", "layout", 8, LEASE, Instant.now(), LEASE).inNewStore();
    }

    /** The answer once the connection is back. */
    private static <T> T eventually(Callable<T> call) {
        return await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(call, answer -> true);
    }
}
