package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterStore;
import dev.tenon.lock.engine.RegisterStore.Change;
import dev.tenon.lock.engine.RegisterStore.Written;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RoundTrips;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a call costs: counted exactly by the proxy, and by time over a slow line. */
class ZooKeeperRoundTripsTest {
    private static final Duration ONE_WAY = Duration.ofMillis(60);
    private static final int TIMES = 9;
    private static final Duration LEASE = Duration.ofMinutes(5);
    /** Long, so that no ping comes between. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final ZooKeeperOptions OPTIONS =
            ZooKeeperOptions.DEFAULT.withRequestTimeout(PATIENCE).withSessionTimeout(ZooKeeperOptions.TIMEOUT_MAX);

    private final AtomicInteger requests = new AtomicInteger();
    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    private final ZooKeeperBackend zooKeeper =
            ZooKeeperBackend.connect(address.at(proxy.address()).connectString(), OPTIONS);

    @AfterEach
    void close() {
        zooKeeper.close();
        proxy.close();
    }

    @Test
    void aRangeTakesOneRoundTripAndTwoWhenItsNameIsNew() {
        assertThat(exchanges(() -> zooKeeper.ranges().next("sequence", 100)))
                .as("new: look, make")
                .isEqualTo(2);
        for (int i = 0; i < 5; i++) {
            assertThat(exchanges(() -> zooKeeper.ranges().next("sequence", 100)))
                    .isEqualTo(1);
        }
        assertThat(exchanges(() -> zooKeeper.ranges().raiseTo("sequence", 10_000)))
                .isEqualTo(1);
        assertThat(exchanges(() -> zooKeeper.ranges().definition("sequence"))).isEqualTo(1);
        assertThat(exchanges(() -> zooKeeper.ranges().define("other", RangeDefinition.DEFAULT)))
                .isEqualTo(2);
    }

    @Test
    void whoWasOvertakenTakesTwoRoundTripsMore() {
        zooKeeper.ranges().next("sequence", 100);
        try (ZooKeeperBackend other = PatientZooKeeper.connect(address)) {
            other.ranges().next("sequence", 100);
        }
        assertThat(exchanges(() -> assertThat(
                                zooKeeper.ranges().next("sequence", 100).first())
                        .isEqualTo(201)))
                .as("refused, look, set")
                .isEqualTo(3);
    }

    @Test
    void aRangeTakesTheTimeOfOneRoundTrip() throws Exception {
        zooKeeper.ranges().next("sequence", 100);
        assertRoundTrips(
                "range",
                1.2,
                line -> RoundTrips.measure(
                        proxy, line, TIMES, () -> zooKeeper.ranges().next("sequence", 100)));
    }

    @Test
    void aClaimTakesThreeRoundTripsAndWhatComesLaterTwo() {
        WorkerIdSource source = zooKeeper.workerIds("group");
        assertThat(exchanges(() -> source.claim(claim()))).as("new: look, make").isEqualTo(2);
        for (int i = 0; i < 20; i++) {
            source.claim(claim());
        }
        WorkerSlot[] slot = new WorkerSlot[1];
        assertThat(exchanges(() -> slot[0] = source.claim(claim())))
                .as("look at the group, at its slots, set")
                .isEqualTo(3);
        assertThat(exchanges(() -> source.renew(slot[0], LEASE, Instant.now()))).isEqualTo(2);
        assertThat(exchanges(() -> source.release(slot[0], Instant.now()))).isEqualTo(2);
        assertThat(exchanges(source::census)).isEqualTo(2);
    }

    @Test
    void aVersionTakesOneRoundTripAndFiveHundredTakeAFewTogether() {
        ZooKeeperVersionGenerator versions = zooKeeper.nodeVersions("name");
        versions.nextId();
        assertThat(exchanges(versions::nextId)).isEqualTo(1);
        assertThat(exchanges(() -> versions.fill(new long[ZooKeeperVersionGenerator.AT_ONCE])))
                .as("a few, as they don't fit into one packet")
                .isLessThan(ZooKeeperVersionGenerator.AT_ONCE / 10);
        ZooKeeperVersionGenerator transactions = zooKeeper.transactionIds();
        transactions.nextId();
        assertThat(exchanges(transactions::nextId)).isEqualTo(1);
    }

    @Test
    void aReadAndAWriteOfRegistersTakeOneRoundTripEachWhicheverWayItEnds() {
        RegisterStore registers = new ZooKeeperRegisterStore(zooKeeper.link());
        Change creation = new Change(Register.absent("name"), Optional.of("text"));
        Notice notices = new Notice("process", "name", "text");
        for (boolean done : new boolean[] {true, false}) {
            assertThat(exchanges(() -> assertThat(registers
                                    .write(List.of(creation), List.of(notices))
                                    .done())
                            .isEqualTo(done)))
                    .isEqualTo(1);
        }
        List<Register> seen = new ArrayList<>();
        assertThat(exchanges(() -> seen.addAll(registers.read(List.of("name", "other")))))
                .isEqualTo(1);
        for (Optional<String> next : List.of(Optional.of("next"), Optional.<String>empty())) {
            Change change = new Change(seen.get(0), next);
            assertThat(exchanges(() -> {
                        Written written = registers.write(List.of(change), List.of(notices));
                        assertThat(written.done()).isTrue();
                        seen.set(0, written.now().get(0));
                    }))
                    .isEqualTo(1);
        }
    }

    @Test
    void anAcquireAndAReleaseTakeOneRoundTripEach() throws Exception {
        LockStore store = store(zooKeeper);
        List<Long> tokens = new ArrayList<>();
        assertThat(exchanges(() -> tokens.add(granted(store, exclusive("name")))))
                .isEqualTo(1);
        assertThat(exchanges(
                        () -> assertThat(release(store, "name", tokens.get(0))).isEqualTo(Released.FREED)))
                .isEqualTo(1);
        AtomicInteger names = new AtomicInteger();
        assertRoundTrips(
                "acquire",
                1.2,
                line -> RoundTrips.measure(
                        proxy, line, TIMES, () -> granted(store, exclusive("a" + names.getAndIncrement()))));
        assertRoundTrips("release", 1.2, line -> {
            Deque<Release> held = new ArrayDeque<>();
            for (int i = 0; i < TIMES; i++) {
                String name = "r" + names.getAndIncrement();
                held.add(new Release(name, granted(store, exclusive(name))));
            }
            return RoundTrips.measure(
                    proxy,
                    line,
                    TIMES,
                    () -> release(store, held.getFirst().name(), held.remove().token()));
        });
    }

    @Test
    void aHandOverTakesTheTimeOfOneRoundTripWithOneOrManyWaiters() throws Exception {
        RecordedEvents told = new RecordedEvents();
        LockStore holders = store(zooKeeper);
        try (ZooKeeperBackend other =
                ZooKeeperBackend.connect(address.at(proxy.address()).connectString(), OPTIONS)) {
            LockStore waiters = store(other, told);
            for (int many : new int[] {1, 30}) {
                assertRoundTrips(
                        "with " + many + " waiting", 1.3, line -> handOver(line, holders, waiters, told, many));
            }
        }
    }

    private double handOver(Duration line, LockStore holders, LockStore waiters, RecordedEvents told, int many)
            throws Exception {
        Deque<Release> held = new ArrayDeque<>();
        Deque<String> heads = new ArrayDeque<>();
        for (int i = 0; i < TIMES; i++) {
            String name = "awaited " + requests.get();
            held.add(new Release(name, granted(holders, exclusive(name))));
            heads.add("request-" + requests.get());
            for (int w = 0; w < many; w++) {
                assertThat(acquire(waiters, waiting(name))).isInstanceOf(Outcome.Queued.class);
            }
        }
        awaitSilence();
        return RoundTrips.measure(proxy, line, TIMES, () -> {
            CompletionStage<?> released = holders.release(List.of(held.remove()));
            told.awaitGrantOf(heads.remove(), Duration.ofSeconds(30));
            join(released);
        });
    }

    private static void assertRoundTrips(String what, double most, RoundTrips.Measure measure) throws Exception {
        assertThat(RoundTrips.within(0.9, most, ONE_WAY, measure)).as(what).isBetween(0.9, most);
    }

    @Test
    void otherModesTakeAtMostTwoRoundTripsAndManyLocksOne() {
        MultiLockStore store = store(zooKeeper);
        try (ZooKeeperBackend other = ZooKeeperBackend.connect(address.connectString(), OPTIONS)) {
            LockStore others = store(other);
            for (LockMode mode : List.of(LockMode.SHARED, LockMode.UPDATE, LockMode.permits(1, 3))) {
                String name = "beside " + mode;
                LockMode theirs = mode.equals(LockMode.UPDATE) ? LockMode.SHARED : mode;
                granted(others, request(name, theirs, Duration.ZERO));
                List<Long> token = new ArrayList<>();
                assertThat(exchanges(() -> token.add(granted(store, request(name, mode, Duration.ZERO)))))
                        .as(name)
                        .isLessThanOrEqualTo(2);
                assertThat(exchanges(() -> release(store, name, token.get(0))))
                        .as(name)
                        .isEqualTo(1);
            }
        }
        List<Acquire> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            many.add(exclusive("many/" + i));
        }
        List<Outcome> outcomes = new ArrayList<>();
        assertThat(exchanges(() -> outcomes.addAll(join(store.acquireAll(many)))))
                .isEqualTo(1);
        List<Renew> renewals = new ArrayList<>();
        List<Release> releases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long token = ((Outcome.Granted) outcomes.get(i)).token();
            renewals.add(new Renew("many/" + i, token, Optional.of(LEASE)));
            releases.add(new Release("many/" + i, token));
        }
        assertThat(exchanges(() -> join(store.renew(renewals)))).isEqualTo(1);
        assertThat(exchanges(() -> join(store.release(releases)))).isEqualTo(1);
    }

    /** What goes on in the background is over, as far as the proxy can tell. */
    private void awaitSilence() {
        AtomicLong before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(400))
                .atMost(Duration.ofSeconds(30))
                .until(() -> before.getAndSet(proxy.exchanges()) == proxy.exchanges());
    }

    private MultiLockStore store(ZooKeeperBackend backend) {
        return store(backend, new RecordedEvents());
    }

    private MultiLockStore store(ZooKeeperBackend backend, RecordedEvents events) {
        join(backend.lockStore().open(new SessionSpec("session", "test", Duration.ofHours(1)), events));
        return backend.lockStore();
    }

    private Acquire exclusive(String name) {
        return request(name, LockMode.EXCLUSIVE, Duration.ZERO);
    }

    private Acquire waiting(String name) {
        return request(name, LockMode.EXCLUSIVE, LEASE);
    }

    private Acquire request(String name, LockMode mode, Duration wait) {
        String id = "request-" + requests.getAndIncrement();
        return new Acquire(name, "session", id, "test", Optional.of(LEASE), wait, Acquire.Terms.of(mode));
    }

    private static Outcome acquire(LockStore store, Acquire request) {
        return join(store.acquire(request));
    }

    private static long granted(LockStore store, Acquire request) {
        Outcome outcome = acquire(store, request);
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private static Released release(LockStore store, String name, long token) {
        return join(store.release(List.of(new Release(name, token)))).get(0);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    /** Over a long line everything is under way before the first answer is: no answer was waited for in between. */
    private long exchanges(Runnable call) {
        proxy.delay(Duration.ofMillis(100));
        long before = proxy.exchanges();
        call.run();
        proxy.delay(Duration.ZERO);
        return proxy.exchanges() - before;
    }

    private static WorkerClaim claim() {
        return new WorkerClaim(UUID.randomUUID().toString(), "test", "layout", 64, LEASE, Instant.now(), LEASE)
                .inNewStore();
    }
}
