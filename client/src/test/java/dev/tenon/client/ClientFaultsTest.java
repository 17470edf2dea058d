package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.TenonTestServer;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a client when its server is killed, stands still, or is reached by another way. */
class ClientFaultsTest {
    /** For calls that are to end without an answer. A machine that stands still for longer spoils what they show. */
    private static final Duration BRIEF = Duration.ofSeconds(5);

    private static final Duration CLOSED_IN = Duration.ofSeconds(4);

    private static final TenonTestServer SERVER = TenonTestServer.start();

    private final FaultProxy first = FaultProxy.to(SERVER.socket());
    private final FaultProxy second = FaultProxy.to(SERVER.socket());
    private final TenonClient both = Clients.of(address(first) + "," + address(second));
    private final TenonClient direct = Clients.of(SERVER.address());
    private volatile String name = "faults-" + UUID.randomUUID();

    private static String address(FaultProxy proxy) {
        return "127.0.0.1:" + proxy.address().getPort();
    }

    /** Judges with a name of its own each time; each call must end within {@link #BRIEF}. */
    private void whileTheServerIsInTime(Punctual.Attempt attempt) throws Exception {
        Punctual.judge(BRIEF.dividedBy(3), () -> direct.locks().inspect(name), () -> {
            first.heal();
            name = "faults-" + UUID.randomUUID();
            attempt.run();
        });
    }

    private static TenonClient brief(String servers) {
        return TenonClient.connect(ClientOptions.of(servers).withCallTimeout(BRIEF));
    }

    @AfterEach
    void close() {
        first.heal();
        second.heal();
        both.close();
        direct.close();
        first.close();
        second.close();
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void sessionsWaitersAndHoldsSurviveAKillOfTheServer() throws Exception {
        // Longer than a server may take to be back.
        LockOptions forLong = LockOptions.DEFAULT.withLease(Duration.ofMinutes(5));
        Lease held = both.locks().lock(name, forLong).acquire(Clients.PATIENCE);
        CompletableFuture<Lease> waiting =
                direct.locks().lock(name).acquireAsync(Duration.ofMinutes(2)).toCompletableFuture();
        awaitQueue(direct);
        SERVER.kill();
        SERVER.restart();
        assertThat(direct.locks().validate(name, held.token())).isTrue();
        assertThat(held.state()).isNotEqualTo(Lease.State.LOST);
        held.close();
        try (Lease next = waiting.get(60, TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
    }

    @Test
    void aSagaWhoseServerIsKilledGoesOnWhenItIsBack() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        NamedParticipants steps = new NamedParticipants();
        // One that died with its server takes its transaction up again when the claim is over.
        TransactionOptions options =
                TransactionOptions.DEFAULT.withService(name).withClaim(Duration.ofSeconds(3));
        try (Transactions transactions = TransactionEngine.over(both.transactions(), steps, options)) {
            Sagas sagas = Sagas.over(transactions, steps)
                    .register(Saga.named("order", 1)
                            .step("stock", call -> {
                                called.countDown();
                                back.await();
                                return Reply.done("7 left");
                            })
                            .step(
                                    "card",
                                    call -> Reply.done(call.result("stock").orElseThrow()))
                            .after("stock")
                            .build());
            TransactionId gid = new TransactionId(name);
            // From the beginning: where the answer to it is lost, too, recovery goes on.
            transactions.start();
            sagas.start("order", gid, "{}");
            assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
            SERVER.kill();
            SERVER.restart();
            back.countDown();
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptionsInstanceOf(TenonException.class)
                    .until(() -> transactions.outcome(gid) instanceof TransactionOutcome.Committed);
            assertThat(transactions.find(gid).orElseThrow().results()).containsEntry("card", "7 left");
        }
    }

    @Test
    void theNextServerIsAskedWhenOneIsGoneAndEventsComeFromThere() throws Exception {
        RecordedEvents events = new RecordedEvents();
        LockStore store = both.lockStore();
        String session = open(store, events);
        Lease held = direct.locks().lock(name).acquire(Clients.PATIENCE);
        Acquire waiting = request(session, Duration.ofMinutes(1));
        assertThat(join(store.acquire(waiting))).isInstanceOf(Outcome.Queued.class);
        first.refuseNew();
        first.cut();
        await().atMost(Clients.PATIENCE).until(() -> second.openConnections() > 0);
        // Either the grant is told on the new stream, or the session was told to ask again.
        held.close();
        await().atMost(Clients.PATIENCE).until(() -> join(store.acquire(waiting)) instanceof Outcome.Granted);
        Acquire next = request(session, Duration.ofMinutes(1));
        assertThat(join(store.acquire(next))).isInstanceOf(Outcome.Queued.class);
        long token =
                join(store.inspect(name)).orElseThrow().holder().orElseThrow().token();
        join(store.release(List.of(new Release(name, token))));
        events.awaitGrantOf(next.requestId(), Clients.PATIENCE);
    }

    @Test
    void aServerThatIsSilentIsLeftForTheNext() throws Exception {
        whileTheServerIsInTime(() -> {
            try (TenonClient two = brief(address(first) + "," + address(second))) {
                assertThat(two.ranges().next(name, 1)).isEqualTo(new IdRange(1, 1, 1));
                first.blackhole();
                assertThatThrownBy(() -> two.ranges().next(name, 1)).isInstanceOf(OutcomeUnknownException.class);
                IdRange next = two.ranges().next(name, 1);
                assertThat(next.first()).isGreaterThan(1);
                assertThat(second.openConnections()).isPositive();
            }
        });
    }

    @Test
    void aRangeWhoseReplyIsLostIsNotTakenTwiceButSaidToBeUnknown() {
        both.ranges().next(name, 10);
        first.dropReplies();
        CompletableFuture<IdRange> lost =
                CompletableFuture.supplyAsync(() -> both.ranges().next(name, 10));
        await().atMost(Clients.PATIENCE)
                .until(() -> direct.ranges().next(name, 1).first() > 20);
        first.cut();
        assertThatThrownBy(() -> lost.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void anAcquireWhoseReplyIsLostIsRepeatedAtTheNextServerAndGrantedOnce() {
        LockStore store = both.lockStore();
        String session = open(store, new RecordedEvents());
        first.dropReplies();
        CompletionStage<Outcome> lost = store.acquire(request(session, Duration.ZERO));
        await().atMost(Clients.PATIENCE)
                .until(() -> direct.locks().inspect(name).isPresent());
        first.refuseNew();
        first.cut();
        Outcome outcome = join(lost);
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        assertThat(direct.locks().validate(name, ((Outcome.Granted) outcome).token()))
                .isTrue();
        assertThat(direct.locks().inspect(name).orElseThrow().holders()).hasSize(1);
    }

    @Test
    void aServerThatIsDownIsUnavailableInTimeAndNothingHappened() throws Exception {
        whileTheServerIsInTime(() -> {
            try (TenonClient one = brief(address(first))) {
                one.ranges().next(name, 1);
                first.refuseNew();
                first.cut();
                await().atMost(Clients.PATIENCE).until(() -> first.openConnections() == 0);
                long start = System.nanoTime();
                assertThatThrownBy(() -> one.ranges().next(name, 1)).isInstanceOf(BackendUnavailableException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BRIEF.multipliedBy(3));
                first.acceptNew();
                assertThat(one.ranges().next(name, 1).first()).isEqualTo(2);
            }
        });
    }

    @Test
    void aSessionThatHasEndedWhileTheClientWasAwayIsSaidToBeLost() {
        RecordedEvents events = new RecordedEvents();
        try (TenonClient one = Clients.of(address(first))) {
            String session = UUID.randomUUID().toString();
            join(one.lockStore().open(new SessionSpec(session, "test", Duration.ofMinutes(5)), events));
            first.refuseNew();
            first.cut();
            join(direct.lockStore().closeSession(session));
            first.acceptNew();
            await().atMost(Clients.PATIENCE).until(() -> events.lostSessions().contains(session));
        }
    }

    @Test
    void aClosedClientIsUnavailableAndClosesTwice() {
        TenonClient closed = Clients.of(SERVER.address());
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.ranges().next(name, 1)).isInstanceOf(BackendUnavailableException.class);
    }

    /** A call that pauses before its next attempt is not forgotten by whoever closes. */
    @Test
    void callsThatWaitForAServerEndWhenTheClientIsClosed() throws Exception {
        for (int round = 0; round < 10; round++) {
            ClientOptions patient = ClientOptions.of(address(first)).withCallTimeout(Clients.PATIENCE.multipliedBy(2));
            TenonClient closing = TenonClient.connect(patient);
            first.refuseNew();
            first.cut();
            CompletableFuture<?> question =
                    CompletableFuture.supplyAsync(() -> closing.ranges().definition(name));
            CompletableFuture<?> session = closing.lockStore()
                    .open(
                            new SessionSpec(UUID.randomUUID().toString(), "test", Duration.ofMinutes(5)),
                            new RecordedEvents())
                    .toCompletableFuture();

            // Long enough for a few attempts: the longer they go on, the more of the time they pause.
            long begun = System.nanoTime();
            await().until(() -> System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(500));
            closing.disconnect();

            assertThatThrownBy(() -> question.get(Clients.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(TenonException.class);
            assertThatThrownBy(() -> session.get(Clients.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(TenonException.class);
            first.acceptNew();
        }
    }

    @Test
    void itsEndDoesNotWaitForAServerThatStandsStill() throws Exception {
        // About two seconds, as it says, and not the minute that a call may take, once for the session and once for the
        // rest. A machine that has other things to do gets more than one try.
        Duration shortest = timeToClose();
        for (int i = 1; i < 5 && shortest.compareTo(CLOSED_IN) > 0; i++) {
            Duration again = timeToClose();
            shortest = again.compareTo(shortest) < 0 ? again : shortest;
        }
        assertThat(shortest).isLessThan(CLOSED_IN);
    }

    private Duration timeToClose() throws Exception {
        TenonClient client = TenonClient.connect(
                ClientOptions.of(SERVER.address() + "," + address(first)).withCallTimeout(ClientOptions.TIMEOUT_MAX));
        client.locks().lock(name + UUID.randomUUID()).acquire(Clients.PATIENCE);
        SERVER.pause();
        try {
            long begun = System.nanoTime();
            CompletableFuture.runAsync(client::close).get(60, TimeUnit.SECONDS);
            return Duration.ofNanos(System.nanoTime() - begun);
        } finally {
            SERVER.resume();
        }
    }

    private void awaitQueue(TenonClient client) {
        await().atMost(Clients.PATIENCE)
                .until(() ->
                        client.locks().inspect(name).map(v -> v.queue().size()).orElse(0) == 1);
    }

    private static String open(LockStore store, RecordedEvents events) {
        String id = UUID.randomUUID().toString();
        return join(store.open(new SessionSpec(id, "test", Duration.ofMinutes(5)), events))
                .id();
    }

    private Acquire request(String session, Duration wait) {
        return new Acquire(
                name, session, UUID.randomUUID().toString(), "test", Optional.of(Duration.ofMinutes(5)), wait);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
