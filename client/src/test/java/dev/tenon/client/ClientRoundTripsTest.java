package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.server.Node;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RoundTrips;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a call costs, by time over a slow line: at best, since a busy machine makes nothing quicker than its round trips
 * allow.
 */
class ClientRoundTripsTest {
    private static final Duration ONE_WAY = Duration.ofMillis(50);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final double LEAST = 0.5;
    private static final int TIMES = 3;
    private static final int ATTEMPTS = 5;
    private static final int RUNS = TIMES * ATTEMPTS;

    private static final Node NODE = Clients.memoryNode();
    private static final FaultProxy LINE = FaultProxy.to(new InetSocketAddress("127.0.0.1", NODE.port()));
    private static final TenonClient TENON =
            Clients.of("127.0.0.1:" + LINE.address().getPort());
    private static final MultiLockStore STORE = TENON.lockStore();
    private static final RecordedEvents EVENTS = new RecordedEvents();
    private static final AtomicInteger REQUESTS = new AtomicInteger();

    @BeforeAll
    static void warmUp() {
        join(STORE.open(new SessionSpec("session", "test", Duration.ofHours(1)), EVENTS));
        long token = granted(STORE.acquire(request("warm")));
        join(STORE.release(List.of(new Release("warm", token))));
        TENON.ranges().next("warm", 1);
        TENON.define("warm", "{\"kind\":\"segment\"}").next();
    }

    @AfterAll
    static void close() {
        TENON.close();
        LINE.close();
        NODE.close();
    }

    @Test
    void anAcquireAndAReleaseTakeOneEach() throws Exception {
        List<Long> tokens = new ArrayList<>();
        assertAtBest(1.2, i -> tokens.add(granted(STORE.acquire(request("n" + i)))));
        while (tokens.size() < RUNS) {
            tokens.add(granted(STORE.acquire(request("n" + tokens.size()))));
        }
        assertAtBest(1.2, i -> join(STORE.release(List.of(new Release("n" + i, tokens.get(i))))));
    }

    @Test
    void aHandOverTakesOneHoweverManyWait() throws Exception {
        for (int waiters : new int[] {1, 30}) {
            String name = "awaited by " + waiters + " n";
            List<Long> tokens = new ArrayList<>();
            List<String> heads = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                tokens.add(granted(STORE.acquire(request(name + i))));
                heads.add("request-" + REQUESTS.get());
                for (int w = 0; w < waiters; w++) {
                    assertThat(join(STORE.acquire(request(name + i)))).isInstanceOf(Outcome.Queued.class);
                }
            }
            assertAtBest(1.3, i -> {
                var released = STORE.release(List.of(new Release(name + i, tokens.get(i))));
                EVENTS.awaitGrantOf(heads.get(i), Clients.PATIENCE);
                join(released);
            });
        }
    }

    @Test
    void severalLocksTakeOne() throws Exception {
        assertAtBest(1.2, i -> {
            List<Acquire> three = List.of(request("x" + i), request("y" + i), request("z" + i));
            assertThat(join(STORE.acquireAll(three))).hasSize(3);
        });
    }

    @Test
    void aRangeAndABatchOfIdsTakeOne() throws Exception {
        assertAtBest(1.2, i -> TENON.ranges().next("warm", 1000));
        assertAtBest(1.2, i -> assertThat(TENON.ids("warm").next(1000)).hasSize(1000));
    }

    @Test
    void idsAtHandTakeNone() throws Exception {
        LocalIds local = TENON.ids("warm").local(1000);
        local.next();
        double cost = RoundTrips.measure(LINE, ONE_WAY, TIMES, () -> {
            for (int i = 0; i < 100; i++) {
                local.next();
            }
        });
        assertThat(cost).isLessThan(0.5);
    }

    private interface Nth {
        void run(int i) throws Exception;
    }

    /** The i-th run of an action takes about one round trip and no longer than so many, in one of some series. */
    private static void assertAtBest(double limit, Nth action) throws Exception {
        AtomicInteger next = new AtomicInteger();
        double cost = 0;
        for (int attempt = 0; attempt < ATTEMPTS && (cost < LEAST || cost > limit); attempt++) {
            // What a busy machine adds, to the plain round trip too, is the same over any line, and a round trip is
            // not.
            Duration line = ONE_WAY.multipliedBy(attempt + 1);
            cost = RoundTrips.measure(LINE, line, TIMES, () -> action.run(next.getAndIncrement()));
        }
        assertThat(cost).isBetween(LEAST, limit);
    }

    private static Acquire request(String name) {
        return new Acquire(name, "session", "request-" + REQUESTS.getAndIncrement(), "test", Optional.of(LEASE), LEASE);
    }

    private static long granted(CompletionStage<Outcome> stage) {
        Outcome outcome = join(stage);
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
