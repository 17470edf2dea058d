package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.RecordedEvents;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.CompactionResponse;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Locks when the line to etcd or another process fails, in what is etcd's own; the rest is in
 * {@link EtcdBrokenLockTest}.
 */
class EtcdLockFaultsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(1500);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final EtcdServer server = EtcdServer.start();
    private final EtcdAddress address = server.address();
    private final FaultProxy proxy = FaultProxy.to(server.socket());
    private final EtcdBackend direct = connect(address, PATIENCE);
    private final EtcdBackend etcd = connect(address.at(proxy.address()), TIMEOUT);

    private static EtcdBackend connect(EtcdAddress address, Duration timeout) {
        return EtcdBackend.connect(EtcdOptions.of(address.endpoint())
                .withKeyPrefix(address.keyPrefix())
                .withCommandTimeout(timeout));
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
    void aLostReplyIsUnknownAndTheRepeatedRequestFindsItsGrant() {
        LockStore store = etcd.lockStore();
        String session = open(store);
        Acquire request = request(session, "a", Duration.ZERO);
        proxy.dropReplies();
        assertThatThrownBy(() -> join(store.acquire(request)))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        long token = join(direct.lockStore().inspect("a")).orElseThrow().token();
        proxy.heal();
        Outcome.Granted granted = (Outcome.Granted) eventually(() -> join(store.acquire(request)));
        assertThat(granted.token()).isEqualTo(token);
        assertThat(join(store.release(List.of(new Release("a", token))))).containsExactly(Released.FREED);
    }

    @Test
    void aWaiterIsToldOfWhatHappenedWhileEtcdHasForgottenTheHistory() throws Exception {
        Lease held = direct.locks().lock("a").acquire(PATIENCE);
        CompletableFuture<Lease> waiting = waiting("a");
        proxy.refuseNew();
        proxy.cut();
        held.close();
        compact();
        proxy.acceptNew();
        Lease got = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(got.token()).isGreaterThan(held.token());
        // The watch goes on from now: the next wait is told as ever.
        CompletableFuture<Lease> next = CompletableFuture.supplyAsync(
                () -> uninterrupted(() -> direct.locks().lock("a").acquire(PATIENCE)));
        awaitQueue("a");
        got.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
    }

    @Test
    void theLockOfAKilledProcessIsFreeAtTheFirstTryOfOneThatNeverWatched() {
        // Much longer than the lease, so that a busy machine does not leave the lease uncovered.
        Duration presence = Duration.ofSeconds(8);
        try (ForkedJvm process = process("a", Duration.ofSeconds(2), presence)) {
            long token = Long.parseLong(process.nextLine(PATIENCE));
            process.kill();
            // Nobody looks at the lock, but at whether the process is there.
            await().atMost(PATIENCE).until(() -> keysUnder("/locks/processes/") == 0);
            Lease got = direct.locks().lock("a").tryAcquire().orElseThrow();
            assertThat(got.token()).isGreaterThan(token);
            got.close();
            assertThat(keysUnder("/locks/cells/")).isZero();
            assertThat(keysUnder("/locks/mail/")).as("that of this process").isEqualTo(1);
        }
    }

    @Test
    void aLineThatIsDownIsUnavailableAtOnceAndTheLockStaysHeld() {
        Lease held = etcd.locks()
                .lock("a", LockOptions.DEFAULT.withLease(LEASE))
                .tryAcquire()
                .orElseThrow();
        LockStore store = etcd.lockStore();
        String session = open(store);
        proxy.refuseNew();
        proxy.cut();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> join(store.acquire(request(session, "b", Duration.ZERO))))
                        .hasCauseInstanceOf(BackendUnavailableException.class));
        assertThat(held.state()).isEqualTo(Lease.State.HELD);
        assertThat(direct.locks().lock("a").tryAcquire()).isEmpty();
        assertThat(direct.locks().inspect("b")).isEmpty();
        proxy.acceptNew();
        eventually(() -> join(store.acquire(request(session, "b", Duration.ZERO))));
        held.close();
    }

    private ForkedJvm process(String name, Duration lease, Duration presence) {
        return ForkedJvm.start(
                EtcdLockProcess.class,
                address.endpoint(),
                address.keyPrefix(),
                name,
                String.valueOf(lease.toMillis()),
                String.valueOf(presence.toMillis()));
    }

    /** A thread that waits for the lock through the proxy, and stands in its queue. */
    private CompletableFuture<Lease> waiting(String name) {
        CompletableFuture<Lease> waiting = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                waiting.complete(etcd.locks().lock(name).acquire(Duration.ofMinutes(2)));
            } catch (Throwable e) {
                waiting.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        awaitQueue(name);
        return waiting;
    }

    private void awaitQueue(String name) {
        await().atMost(PATIENCE)
                .until(() ->
                        direct.locks().inspect(name).map(v -> v.queue().size()).orElse(0) == 1);
    }

    private void compact() {
        EtcdLink.Method<CompactionRequest, CompactionResponse> compact =
                new EtcdLink.Method<>(KVGrpc.getCompactMethod(), true);
        withLink(link -> {
            long revision = link.call(
                            range(),
                            RangeRequest.newBuilder()
                                    .setKey(EtcdOps.bytes("none"))
                                    .build(),
                            link.deadline())
                    .getHeader()
                    .getRevision();
            return link.call(
                    compact,
                    CompactionRequest.newBuilder().setRevision(revision).build(),
                    link.deadline());
        });
    }

    private long keysUnder(String path) {
        String prefix = address.keyPrefix() + path;
        return withLink(link -> link.call(
                        range(),
                        RangeRequest.newBuilder()
                                .setKey(EtcdOps.bytes(prefix))
                                .setRangeEnd(EtcdLockKeys.endOf(prefix))
                                .setCountOnly(true)
                                .build(),
                        link.deadline()))
                .getCount();
    }

    private static EtcdLink.Method<RangeRequest, RangeResponse> range() {
        return new EtcdLink.Method<>(KVGrpc.getRangeMethod(), true);
    }

    private <T> T withLink(Function<EtcdLink, T> work) {
        try (EtcdLink link =
                new EtcdLink(EtcdOptions.of(address.endpoint()).withCommandTimeout(PATIENCE), TimeSource.system())) {
            return work.apply(link);
        }
    }

    private interface Waiting<T> {
        T get() throws InterruptedException;
    }

    private static <T> T uninterrupted(Waiting<T> work) {
        try {
            return work.get();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String open(LockStore store) {
        String id = UUID.randomUUID().toString();
        return join(store.open(new SessionSpec(id, "test", Duration.ofMinutes(5)), new RecordedEvents()))
                .id();
    }

    private static Acquire request(String session, String name, Duration wait) {
        return new Acquire(
                name, session, UUID.randomUUID().toString(), "test", Optional.of(LEASE), wait, Terms.EXCLUSIVE);
    }

    private static <T> T eventually(Supplier<T> call) {
        return await().atMost(PATIENCE).ignoreExceptions().until(call::get, answer -> true);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
