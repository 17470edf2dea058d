package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.RoundTrips;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a call costs: counted exactly by the proxy, by time over a slow line, and in commands by Redis itself. */
class RedisRoundTripsTest {
    private static final Duration ONE_WAY = Duration.ofMillis(60);
    private static final int TIMES = 9;
    private static final Duration LEASE = Duration.ofSeconds(60);

    private final RedisAddress address = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    private final RedisBackend redis =
            PatientRedis.connect(address.at(proxy.address()).uri());
    private final LockStore store = redis.lockStore();
    private final RecordedEvents events = new RecordedEvents();
    private final AtomicInteger requests = new AtomicInteger();

    @BeforeEach
    void openSession() {
        join(store.open(new SessionSpec("session", "test", Duration.ofHours(1)), events));
    }

    @AfterEach
    void close() {
        redis.close();
        proxy.close();
    }

    @Test
    void anAcquireAndAReleaseTakeOneRoundTripEachFromTheFirstOn() {
        long before = proxy.exchanges();
        long token = granted(acquire("name", Duration.ZERO));
        assertThat(proxy.exchanges() - before).isEqualTo(1);
        release("name", token);
        assertThat(proxy.exchanges() - before).isEqualTo(2);
    }

    @Test
    void anAcquireAndAReleaseTakeTheTimeOfOneRoundTrip() throws Exception {
        AtomicInteger names = new AtomicInteger();
        assertRoundTrips(
                1.2,
                line -> RoundTrips.measure(
                        proxy, line, TIMES, () -> granted(acquire("a" + names.getAndIncrement(), LEASE))));
        assertRoundTrips(1.2, line -> {
            Deque<Release> held = new ArrayDeque<>();
            for (int i = 0; i < TIMES; i++) {
                String name = "r" + names.getAndIncrement();
                held.add(new Release(name, granted(acquire(name, LEASE))));
            }
            return RoundTrips.measure(
                    proxy,
                    line,
                    TIMES,
                    () -> release(held.getFirst().name(), held.remove().token()));
        });
    }

    @Test
    void aHandOverTakesTheTimeOfOneRoundTripFromTheReleaseToTheWaiter() throws Exception {
        assertRoundTrips(1.3, line -> {
            Deque<Release> held = new ArrayDeque<>();
            Deque<String> waiters = new ArrayDeque<>();
            for (int i = 0; i < TIMES; i++) {
                String name = "n" + requests.get();
                held.add(new Release(name, granted(acquire(name, Duration.ZERO))));
                waiters.add("request-" + requests.get());
                assertThat(acquire(name, LEASE)).isInstanceOf(Outcome.Queued.class);
            }
            return RoundTrips.measure(proxy, line, TIMES, () -> {
                CompletionStage<?> released = store.release(List.of(held.remove()));
                events.awaitGrantOf(waiters.remove(), Duration.ofSeconds(30));
                join(released);
            });
        });
    }

    private static void assertRoundTrips(double most, RoundTrips.Measure measure) throws Exception {
        assertThat(RoundTrips.within(0.9, most, ONE_WAY, measure)).isBetween(0.9, most);
    }

    @Test
    void manyReleasesAndRenewalsTakeOneRoundTripTogether() {
        List<Renew> renewals = new ArrayList<>();
        List<Release> releases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            long token = granted(acquire("n" + i, Duration.ZERO));
            renewals.add(new Renew("n" + i, token, Optional.of(LEASE)));
            releases.add(new Release("n" + i, token));
        }
        // Over a long line everything is under way before the first answer is: no answer was waited for in between.
        proxy.delay(Duration.ofMillis(100));
        long before = proxy.exchanges();
        join(store.renew(renewals));
        assertThat(proxy.exchanges() - before).isEqualTo(1);
        join(store.release(releases));
        assertThat(proxy.exchanges() - before).isEqualTo(2);
    }

    @Test
    void aRangeAndAWorkerIdTakeOneRoundTripEach() {
        long before = proxy.exchanges();
        redis.ranges().next("sequence", 100);
        assertThat(proxy.exchanges() - before).isEqualTo(1);
        redis.workerIds("group")
                .claim(new WorkerClaim("request", "test", "layout", 8, LEASE, Instant.now(), LEASE).inNewStore());
        assertThat(proxy.exchanges() - before).isEqualTo(2);
    }

    @Test
    void aScriptThatRedisHasForgottenIsSentAgainUnseen() {
        long token = granted(acquire("name", Duration.ZERO));
        address.command("SCRIPT", "FLUSH");
        release("name", token);
        long before = proxy.exchanges();
        release("name", granted(acquire("name", Duration.ZERO)));
        assertThat(proxy.exchanges() - before)
                .as("acquire: forgotten, whole; release")
                .isEqualTo(3);
    }

    @Test
    void aLockCostsFewCommandsAndAHandOverNoMoreAmongThousandsOfWaiters() {
        try (RedisServer own = RedisServer.start();
                RedisBackend backend = RedisBackend.connect(
                        RedisOptions.of(own.address().uri()).withCommandTimeout(Duration.ofSeconds(30)))) {
            LockStore locks = backend.lockStore();
            RecordedEvents told = new RecordedEvents();
            join(locks.open(new SessionSpec("session", "test", Duration.ofHours(1)), told));
            long start = commands(own.address());
            long token = granted(join(locks.acquire(request("free", Duration.ZERO))));
            assertThat(commands(own.address()) - start).as("acquire").isEqualTo(1 + 4);
            join(locks.release(List.of(new Release("free", token))));
            assertThat(commands(own.address()) - start).as("and release").isEqualTo(1 + 4 + 1 + 3);
            for (int waiters : new int[] {2, 4000}) {
                assertThat(commandsOfAHandOver(own.address(), locks, told, waiters))
                        .as("among " + waiters)
                        .isEqualTo(1 + 12);
            }
        }
    }

    /**
     * Every command that Redis runs, those of scripts included, while a lock passes from its holder to the first
     * waiter.
     */
    private long commandsOfAHandOver(RedisAddress server, LockStore locks, RecordedEvents told, int waiters) {
        String name = "awaited by " + waiters;
        long token = granted(join(locks.acquire(request(name, Duration.ZERO))));
        String head = "request-" + requests.get();
        List<CompletionStage<Outcome>> queued = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            queued.add(locks.acquire(request(name, LEASE)));
        }
        queued.forEach(q -> assertThat(join(q)).isInstanceOf(Outcome.Queued.class));
        long before = commands(server);
        assertThat(join(locks.release(List.of(new Release(name, token))))).containsExactly(Released.HANDED_OVER);
        told.awaitGrantOf(head, Duration.ofSeconds(10));
        return commands(server) - before;
    }

    /** All commands so far but those of the counting itself. */
    private static long commands(RedisAddress server) {
        long sum = 0;
        Matcher calls = Pattern.compile("cmdstat_(?!info|select)[^:]*:calls=(\\d+)")
                .matcher(server.command("INFO", "commandstats"));
        while (calls.find()) {
            sum += Long.parseLong(calls.group(1));
        }
        return sum;
    }

    private Outcome acquire(String name, Duration wait) {
        return join(store.acquire(request(name, wait)));
    }

    private Acquire request(String name, Duration wait) {
        return new Acquire(name, "session", "request-" + requests.getAndIncrement(), "test", Optional.of(LEASE), wait);
    }

    private void release(String name, long token) {
        assertThat(join(store.release(List.of(new Release(name, token))))).containsExactly(Released.FREED);
    }

    private static long granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
