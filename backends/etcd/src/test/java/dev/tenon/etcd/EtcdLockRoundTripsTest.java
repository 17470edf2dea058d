package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RoundTrips;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a call on locks costs, by time over a slow line: at best, since a busy machine makes nothing quicker than its
 * round trips allow. {@code RegisterLockTest} counts the calls of the store exactly.
 */
class EtcdLockRoundTripsTest {
    private static final Duration ONE_WAY = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int TIMES = 3;
    private static final double LEAST = 0.5;
    private static final int ATTEMPTS = 5;
    private static final int RUNS = TIMES * ATTEMPTS;

    private final EtcdAddress address = EtcdServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    private final EtcdBackend slow = connect(address.at(proxy.address()));
    private final EtcdBackend fast = connect(address);
    private final MultiLockStore store = slow.lockStore();
    private final LockStore other = fast.lockStore();
    private final RecordedEvents events = new RecordedEvents();
    private final AtomicInteger requests = new AtomicInteger();

    private static EtcdBackend connect(EtcdAddress address) {
        return EtcdBackend.connect(EtcdOptions.of(address.endpoint())
                .withKeyPrefix(address.keyPrefix())
                .withCommandTimeout(PATIENCE));
    }

    @BeforeEach
    void openSessions() {
        join(store.open(new SessionSpec("slow", "test", Duration.ofHours(1)), events));
        join(other.open(new SessionSpec("fast", "test", Duration.ofHours(1)), new RecordedEvents()));
        long token = granted(store.acquire(request("slow", "warm", Terms.EXCLUSIVE)));
        join(store.release(List.of(new Release("warm", token))));
    }

    @AfterEach
    void close() {
        slow.close();
        fast.close();
        proxy.close();
    }

    @Test
    void anAcquireAndAReleaseTakeTheTimeOfOneRoundTripEach() throws Exception {
        List<Long> tokens = new ArrayList<>();
        assertAtBest(1.2, i -> tokens.add(granted(acquire("n" + i, Terms.EXCLUSIVE))));
        while (tokens.size() < RUNS) {
            tokens.add(granted(acquire("n" + tokens.size(), Terms.EXCLUSIVE)));
        }
        assertAtBest(1.2, i -> join(store.release(List.of(new Release("n" + i, tokens.get(i))))));
    }

    @Test
    void aHandOverTakesTheTimeOfOneRoundTripHoweverManyWait() throws Exception {
        for (int waiters : new int[] {1, 30}) {
            String name = "awaited by " + waiters + " n";
            List<Long> tokens = new ArrayList<>();
            List<String> heads = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                tokens.add(granted(acquire(name + i, Terms.EXCLUSIVE)));
                heads.add("request-" + requests.get());
                assertThat(join(acquire(name + i, Terms.EXCLUSIVE))).isInstanceOf(Outcome.Queued.class);
                for (int w = 1; w < waiters; w++) {
                    // From another process, so that the holder's own only hears of it.
                    join(other.acquire(request("fast", name + i, Terms.EXCLUSIVE)));
                }
            }
            assertAtBest(1.3, i -> {
                var released = store.release(List.of(new Release(name + i, tokens.get(i))));
                events.awaitGrantOf(heads.get(i), PATIENCE);
                join(released);
            });
        }
    }

    @Test
    void otherModesTakeNoMoreThanTwo() throws Exception {
        Terms shared = Terms.of(LockMode.SHARED);
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            granted(other.acquire(request("fast", "read" + i, shared)));
            tokens.add(granted(acquire("read" + i, shared)));
            granted(other.acquire(request("fast", "permits" + i, Terms.of(LockMode.permits(1, 100)))));
        }
        assertAtBest(2.3, i -> granted(acquire("permits" + i, Terms.of(LockMode.permits(1, 100)))));
        assertAtBest(2.3, i -> join(store.release(List.of(new Release("read" + i, tokens.get(i))))));
    }

    @Test
    void severalLocksAreTakenAndGivenBackInOneRoundTripEach() throws Exception {
        List<List<Release>> held = new ArrayList<>();
        List<List<Acquire>> wishes = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            int of = i;
            wishes.add(IntStream.range(0, 10)
                    .mapToObj(n -> request("slow", "many" + of + "-" + n, Terms.EXCLUSIVE))
                    .toList());
        }
        Nth take = i -> {
            List<Outcome> taken = join(store.acquireAll(wishes.get(i)));
            held.add(IntStream.range(0, taken.size())
                    .mapToObj(n -> new Release(wishes.get(i).get(n).name(), token(taken.get(n))))
                    .toList());
        };
        assertAtBest(1.3, take);
        while (held.size() < RUNS) {
            take.run(held.size());
        }
        assertAtBest(1.3, i -> join(store.release(held.get(i))));
    }

    private interface Nth {
        void run(int i) throws Exception;
    }

    /** The i-th run of an action takes about one round trip and no longer than so many, in one of some series. */
    private void assertAtBest(double limit, Nth action) throws Exception {
        AtomicInteger next = new AtomicInteger();
        double trips = 0;
        for (int attempt = 0; attempt < ATTEMPTS && (trips < LEAST || trips > limit); attempt++) {
            // What a busy machine adds, to the plain round trip too, is the same over any line, and a round trip is
            // not.
            Duration line = ONE_WAY.multipliedBy(attempt + 1);
            trips = RoundTrips.measure(proxy, line, TIMES, () -> action.run(next.getAndIncrement()));
        }
        assertThat(trips).isBetween(LEAST, limit);
    }

    private CompletionStage<Outcome> acquire(String name, Terms terms) {
        return store.acquire(request("slow", name, terms));
    }

    private Acquire request(String session, String name, Terms terms) {
        return new Acquire(
                name, session, "request-" + requests.getAndIncrement(), "test", Optional.of(LEASE), LEASE, terms);
    }

    private static long granted(CompletionStage<Outcome> stage) {
        return token(join(stage));
    }

    private static long token(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
