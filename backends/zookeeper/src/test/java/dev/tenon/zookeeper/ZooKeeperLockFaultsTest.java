package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Locks when ZooKeeper's session or the line to it ends; what all stores must bear is in
 * {@link ZooKeeperBrokenLockTest}.
 */
class ZooKeeperLockFaultsTest {
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    private final ZooKeeperBackend near = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend far = ZooKeeperBackend.connect(
            address.at(proxy.address()).connectString(),
            ZooKeeperOptions.DEFAULT
                    .withRequestTimeout(Duration.ofSeconds(2))
                    .withSessionTimeout(Duration.ofSeconds(20)));

    @AfterEach
    void close() {
        proxy.heal();
        far.close();
        near.close();
        proxy.close();
    }

    @Test
    void aWaiterWhoseSessionTheServerHasEndedGetsTheLock() throws Exception {
        Lease first = near.locks().lock("name").acquire(WAIT);
        CompletableFuture<Lease> waiter = waiter();
        ZooKeeper handle = far.link().handle();
        TwinSession.end(address, handle.getSessionId(), handle.getSessionPasswd());
        first.close();
        assertPassedOn(first, waiter);
    }

    @Test
    void aHolderWhoseSessionTheServerHasEndedHoldsUntilItsLeaseEndsAndGivesBack() throws Exception {
        Lease held = far.locks().lock("name").acquire(WAIT);
        ZooKeeper handle = far.link().handle();
        TwinSession.end(address, handle.getSessionId(), handle.getSessionPasswd());
        await().atMost(PATIENCE).until(() -> far.link().handle() != handle);
        assertThat(near.locks().lock("name").tryAcquire())
                .as("the session would not have lasted as long as the lease, and so does not end it")
                .isEmpty();
        CompletableFuture<Lease> waiter =
                near.locks().lock("name").acquireAsync(WAIT).toCompletableFuture();
        held.close();
        assertPassedOn(held, waiter);
    }

    @Test
    void aLostReplyIsUnknownAndTheRepeatedRequestFindsItsGrant() {
        LockStore store = far.lockStore();
        join(store.open(new SessionSpec("session", "test", Duration.ofHours(1)), new RecordedEvents()));
        Acquire request =
                new Acquire("name", "session", "request", "test", Optional.of(Duration.ofMinutes(5)), Duration.ZERO);
        proxy.dropReplies();
        assertThatThrownBy(() -> join(store.acquire(request)))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        long token = near.locks().inspect("name").orElseThrow().token();
        proxy.heal();
        AtomicReference<Outcome> answer = new AtomicReference<>();
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            answer.set(join(store.acquire(request)));
            return true;
        });
        assertThat(answer.get())
                .isInstanceOfSatisfying(
                        Outcome.Granted.class,
                        granted -> assertThat(granted.token()).isEqualTo(token));
    }

    @Test
    void whoAsksWhileTheConnectionIsDownIsToldInTimeHoweverManyAsk() {
        LockStore store = far.lockStore();
        join(store.open(new SessionSpec("session", "test", Duration.ofHours(1)), new RecordedEvents()));
        proxy.refuseNew();
        proxy.cut();
        List<CompletableFuture<Outcome>> all = IntStream.range(0, 1000)
                .mapToObj(i -> store.acquire(request("n" + i)).toCompletableFuture())
                .toList();
        // Two seconds each, for 32 at a time, would be a minute.
        await().atMost(PATIENCE).until(() -> all.stream().allMatch(CompletableFuture::isDone));
        assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
        proxy.acceptNew();
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(() -> far.locks().lock("name").tryAcquire().isPresent());
    }

    @Test
    void theLockOfAProcessThatWasKilledPassesOnWhenItsSessionEnds() throws Exception {
        // The lease would last for 50 seconds, and the session as long: that it ends at once is for the test.
        try (ForkedJvm holder = holder(Duration.ofSeconds(50), Duration.ofSeconds(60))) {
            String[] held = holder.nextLine(PATIENCE).split(" ");
            CompletableFuture<Lease> waiter = waiter();
            holder.kill();
            TwinSession.end(address, Long.parseLong(held[2]), HexFormat.of().parseHex(held[3]));
            Lease next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(next.token()).isGreaterThan(Long.parseLong(held[1]));
            next.close();
        }
    }

    private static Acquire request(String name) {
        return new Acquire(
                name, "session", "request of " + name, "test", Optional.of(Duration.ofMinutes(5)), Duration.ZERO);
    }

    private ForkedJvm holder(Duration lease, Duration sessionTimeout) {
        return ForkedJvm.start(
                LockHolder.class,
                address.connectString(),
                "name",
                String.valueOf(lease.toMillis()),
                String.valueOf(sessionTimeout.toMillis()));
    }

    /** Somebody behind the proxy who stands in the queue. */
    private CompletableFuture<Lease> waiter() {
        CompletableFuture<Lease> waiter =
                far.locks().lock("name").acquireAsync(WAIT).toCompletableFuture();
        await().atMost(PATIENCE)
                .until(() -> near.locks()
                        .inspect("name")
                        .map(view -> view.queue().size() == 1)
                        .orElse(false));
        return waiter;
    }

    private void assertPassedOn(Lease from, CompletableFuture<Lease> to) throws Exception {
        Lease next = to.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(from.token());
        assertThat(near.locks().validate("name", next.token())).isTrue();
        next.close();
        await().atMost(PATIENCE).until(() -> near.locks().inspect("name").isEmpty());
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
