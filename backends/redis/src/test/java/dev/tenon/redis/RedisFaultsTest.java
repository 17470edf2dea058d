package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.ResumedRanges;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What callers are told, and what is in the store, when Redis or the line to it fails. */
class RedisFaultsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(1500);
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final RedisServer server = RedisServer.startDurable();
    private final FaultProxy proxy = FaultProxy.to(server.socket());
    private final RedisBackend direct = PatientRedis.connect(server.address().uri());
    private final RedisBackend redis = connected(TIMEOUT);
    private final LockStore store = redis.lockStore();
    private final Events events = new Events();
    private final AtomicInteger requests = new AtomicInteger();

    private static final class Events implements StoreEvents {
        private final Queue<Grant> grants = new ConcurrentLinkedQueue<>();
        private final AtomicInteger resyncs = new AtomicInteger();

        @Override
        public void granted(Grant grant) {
            grants.add(grant);
        }

        @Override
        public void revokeAsked(Revocation revocation) {}

        @Override
        public void sessionLost(String sessionId) {}

        @Override
        public void resync() {
            resyncs.incrementAndGet();
        }
    }

    @BeforeEach
    void openSessions() {
        join(store.open(new SessionSpec("here", "test", Duration.ofHours(1)), events));
        join(direct.lockStore().open(new SessionSpec("there", "test", Duration.ofHours(1)), new Events()));
    }

    @AfterEach
    void close() {
        proxy.heal();
        redis.close();
        direct.close();
        proxy.close();
        server.close();
    }

    @Test
    void nothingHappensWhereThereIsNoRedis() {
        RedisOptions nowhere = RedisOptions.of("redis://127.0.0.1:1").withCommandTimeout(TIMEOUT);
        assertThatThrownBy(() -> RedisBackend.connect(nowhere))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
        assertThatThrownBy(() -> RedisBackend.connect("http://127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aWrongPasswordIsSaidAndNotShown() {
        server.address().command("CONFIG", "SET", "requirepass", "right");
        String uri = "redis://:wrong-secret@127.0.0.1:" + server.socket().getPort();
        // The driver at times reports only that it closed the connection; then the message asks about the password.
        assertThatThrownBy(() -> PatientRedis.connect(uri))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageMatching("(?s).*(WRONGPASS|is the password right).*")
                .hasMessageNotContaining("wrong-secret");
        assertThat(RedisOptions.of(uri).toString()).doesNotContain("wrong-secret");
    }

    @Test
    void aConnectionThatIsDownIsUnavailableAtOnceAndComesBackByItself() {
        proxy.refuseNew();
        proxy.cut();
        // Again if need be: it must have heard of it, and a busy machine is slow by itself.
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            AwakeTime awake = AwakeTime.start();
            assertThatThrownBy(() -> acquire("name", Duration.ZERO))
                    .hasCauseInstanceOf(BackendUnavailableException.class);
            assertThatThrownBy(() -> redis.ranges().next("name", 1)).isInstanceOf(BackendUnavailableException.class);
            assertThat(awake.elapsed()).isLessThan(TIMEOUT);
        });
        assertThat(join(direct.lockStore().inspect("name"))).isEmpty();

        proxy.acceptNew();
        await().ignoreExceptions().until(() -> acquire("name", Duration.ZERO) instanceof Outcome.Granted);
    }

    @Test
    void aLostReplyIsUnknownAndTheRepeatedRequestFindsItsGrant() {
        proxy.dropReplies();
        Acquire request = request("name", Duration.ZERO);
        long start = System.nanoTime();
        AwakeTime awake = AwakeTime.start();
        assertUnknown(store.acquire(request));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(TIMEOUT);
        assertThat(awake.elapsed()).isLessThanOrEqualTo(TIMEOUT.multipliedBy(5));
        long token = join(direct.lockStore().inspect("name")).orElseThrow().token();
        proxy.heal();

        Outcome.Granted granted = (Outcome.Granted) eventually(() -> store.acquire(request));
        assertThat(granted.token()).isEqualTo(token);
        assertThat(join(store.release(List.of(new Release("name", token))))).containsExactly(Released.FREED);
    }

    @Test
    void aReplyThatComesTooLateIsNeverTakenForThatOfALaterCall() {
        long token = ((Outcome.Granted) acquire("held", Duration.ZERO)).token();
        proxy.blackhole();
        long connections = proxy.connections();
        assertUnknown(store.release(List.of(new Release("held", token))));
        await("a connection in place of the silent one").until(() -> proxy.connections() > connections);
        proxy.heal(); // delivers what was sent meanwhile
        await().ignoreExceptions().until(() -> acquire("other", Duration.ZERO) instanceof Outcome.Granted);
        assertThat(acquire("other", Duration.ZERO)).isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void aCallInFlightWhenTheConnectionIsCutIsUnknownAtOnceAndNotRepeatedByTheDriver() {
        Duration patience = Duration.ofSeconds(30);
        try (RedisBackend patient = connected(patience)) {
            join(patient.lockStore().open(new SessionSpec("patient", "test", Duration.ofHours(1)), new Events()));
            IdRange first = patient.ranges().next("sequence", 10);
            proxy.delay(Duration.ZERO, patience.multipliedBy(4));
            CompletionStage<Outcome> cut = patient.lockStore().acquire(request("patient", "name", Duration.ZERO));
            await().until(() -> join(direct.lockStore().inspect("name")).isPresent());
            AwakeTime awake = AwakeTime.start();
            proxy.cut();
            assertUnknown(cut);
            assertThat(awake.elapsed()).isLessThan(patience.dividedBy(2));
            proxy.delay(Duration.ZERO);
            ResumedRanges.assertGoOnAfter(first.last(), patient.ranges(), "sequence", 10);
        }
    }

    @Test
    void pushesLostWithTheConnectionAreMadeUpForByAResync() {
        long token =
                ((Outcome.Granted) join(direct.lockStore().acquire(request("there", "name", Duration.ZERO)))).token();
        Acquire waiting = request("name", LEASE);
        assertThat(join(store.acquire(waiting))).isInstanceOf(Outcome.Queued.class);
        proxy.refuseNew();
        proxy.cut();
        assertThat(join(direct.lockStore().release(List.of(new Release("name", token)))))
                .containsExactly(Released.HANDED_OVER);
        assertThat(events.resyncs).hasValue(0);
        proxy.acceptNew();
        await().until(() -> events.resyncs.get() > 0);
        assertThat(events.grants).isEmpty();
        assertThat(eventually(() -> store.acquire(waiting))).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void locksTokensAndSequencesSurviveAKillOfRedis() {
        long token = ((Outcome.Granted) acquire("name", Duration.ZERO)).token();
        assertThat(acquire("name", LEASE)).isInstanceOf(Outcome.Queued.class);
        long last = redis.ranges().next("sequence", 1000).last();
        server.kill();
        server.restart();
        await().until(() -> events.resyncs.get() > 0);
        Outcome held = eventually(() -> store.acquire(request("name", Duration.ZERO)));
        assertThat(held).isInstanceOf(Outcome.Busy.class);
        assertThat(redis.ranges().next("sequence", 1).first()).isEqualTo(last + 1);
        assertThat(join(store.release(List.of(new Release("name", token))))).containsExactly(Released.HANDED_OVER);
        await().until(() -> !events.grants.isEmpty());
        assertThat(events.grants.element().token()).isGreaterThan(token);
    }

    @Test
    void tokensGoOnRisingWhenAllDataIsLost() {
        long token = ((Outcome.Granted) acquire("name", Duration.ZERO)).token();
        server.address().command("FLUSHALL");
        assertThat(((Outcome.Granted) acquire("name", Duration.ZERO)).token()).isGreaterThan(token);
    }

    @Test
    void aReplicaOrAFullRedisRefusesBeforeItHasDoneAnything() {
        server.address().command("CONFIG", "SET", "maxmemory", "1");
        assertThatThrownBy(() -> acquire("name", Duration.ZERO))
                .hasCauseInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("OOM");
        server.address().command("CONFIG", "SET", "maxmemory", "0");
        server.address().command("REPLICAOF", "127.0.0.1", "1");
        assertThatThrownBy(() -> acquire("name", Duration.ZERO))
                .hasCauseInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("READONLY");
        assertThatThrownBy(() -> redis.ranges().next("name", 1))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("READONLY");
        server.address().command("REPLICAOF", "NO", "ONE");
        assertThat(join(store.inspect("name"))).isEmpty();
        assertThat(acquire("name", Duration.ZERO)).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aUserWithTheDocumentedPermissionsCanDoEverything() {
        server.address()
                .command(
                        ("ACL SETUSER tenon on >secret ~tenon:* ~{tenon:* &tenon:* +@connection +@scripting +@read +@write"
                                        + " +@pubsub +time +info")
                                .split(" "));
        String uri = "redis://tenon:secret@127.0.0.1:" + server.socket().getPort();
        try (RedisBackend limited = PatientRedis.connect(uri)) {
            LockStore locks = limited.lockStore();
            Events told = new Events();
            join(locks.open(new SessionSpec("limited", "test", Duration.ofHours(1)), told));
            long token = ((Outcome.Granted) join(locks.acquire(request("limited", "name", Duration.ZERO)))).token();
            assertThat(join(locks.acquire(request("limited", "name", LEASE)))).isInstanceOf(Outcome.Queued.class);
            assertThat(join(locks.release(List.of(new Release("name", token))))).containsExactly(Released.HANDED_OVER);
            await().until(() -> !told.grants.isEmpty());
            assertThat(join(locks.list("", "", 10)).locks()).hasSize(1);
            limited.ranges().next("sequence", 1);
            limited.workerIds("group")
                    .claim(new WorkerClaim("request", "test", "layout", 1, LEASE, Instant.now(), LEASE).inNewStore());
            assertThat(server.address().command("HGET", "{tenon:workers:group}:group", "incarnation"))
                    .as("as INFO says it, at the master that has the keys")
                    .hasSize(81);
        }
    }

    @Test
    void closingASessionGivesUpEvenWhatItsCallerNeverHeardOf() {
        proxy.dropReplies();
        Acquire unheard = request("name", Duration.ZERO);
        assertUnknown(store.acquire(unheard));
        proxy.heal();
        await().until(() -> events.resyncs.get() > 0);
        eventually(() -> store.closeSession("here"));
        await().until(() -> join(direct.lockStore().inspect("name")).isEmpty());
        assertThat(join(direct.lockStore().cancel(new Cancel("name", unheard.requestId()))))
                .isInstanceOf(Cancelled.Gone.class);
    }

    @Test
    void aBackendIsClosedTwiceAndWithoutRedis() {
        assertThat(acquire("name", LEASE)).isInstanceOf(Outcome.Granted.class);
        server.kill();
        redis.close();
        redis.close();
        assertThatThrownBy(() -> redis.ranges().next("name", 1)).isInstanceOf(BackendUnavailableException.class);
    }

    private Outcome acquire(String name, Duration wait) {
        return join(store.acquire(request(name, wait)));
    }

    private Acquire request(String name, Duration wait) {
        return request("here", name, wait);
    }

    private Acquire request(String session, String name, Duration wait) {
        return new Acquire(name, session, "request-" + requests.getAndIncrement(), "test", Optional.of(LEASE), wait);
    }

    private static void assertUnknown(CompletionStage<?> call) {
        assertThatThrownBy(() -> join(call))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    /** Through the line that fails. A first connection may take longer than the timeout on a busy machine. */
    private RedisBackend connected(Duration timeout) {
        String uri = server.address().at(proxy.address()).uri();
        return await().ignoreException(BackendUnavailableException.class)
                .until(() -> RedisBackend.connect(RedisOptions.of(uri).withCommandTimeout(timeout)), any -> true);
    }

    /** The answer once the connection is back. */
    private static <T> T eventually(Supplier<CompletionStage<T>> call) {
        AtomicReference<T> answer = new AtomicReference<>();
        await().ignoreExceptions().until(() -> {
            answer.set(join(call.get()));
            return true;
        });
        return answer.get();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
