package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.RoundTrips;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How often a call crosses the line: counted, and by time through a proxy that delays. */
class RoundTripTest {
    private static final Duration ONE_WAY = Duration.ofMillis(100);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Terms SHARED = Terms.of(LockMode.SHARED);

    /** A little below one: the plain round trip, by which all is measured, may itself be late. */
    private static final double LEAST_OF_ONE = 0.9;

    private static final int TIMES = 7;
    private static final int ROUNDS = 4;
    private static final int EXACT_TIMES = 20;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void everyCallIsOneExchange(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            LockStore store = line.backends.one().lockStore();
            String session = open(store, new RecordedEvents());
            String known = UUID.randomUUID().toString();
            // The first calls make the connection, and prepare the statements.
            Release first = granted(store, request(known, session, Duration.ZERO));
            renewed(store, first);
            join(store.release(List.of(first)));
            line.backends.one().ranges().next("known", 1);

            Deque<Release> held = new ArrayDeque<>();
            assertOne(line, "acquire of a new name", () -> held.add(granted(store, request(session, Duration.ZERO))));
            assertOne(line, "renewal", () -> renewed(store, held.getLast()));
            assertOne(
                    line,
                    "busy",
                    () -> assertThat(join(store.acquire(request(held.getLast().name(), session, Duration.ZERO))))
                            .isInstanceOf(Outcome.Busy.class));
            assertOne(line, "release", () -> join(store.release(List.of(held.remove()))));
            long before = line.proxy.exchanges();
            for (int i = 0; i < EXACT_TIMES; i++) {
                join(store.release(List.of(granted(store, request(known, session, Duration.ZERO)))));
            }
            assertThat(line.proxy.exchanges() - before)
                    .as("acquire and release of a known name")
                    .isBetween(2L * EXACT_TIMES, 2L * EXACT_TIMES + 2);
            assertOne(line, "next", () -> line.backends.one().ranges().next("known", 100));
            assertOne(
                    line,
                    "next of a new sequence",
                    () -> line.backends.one().ranges().next(UUID.randomUUID().toString(), 100));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void acquireAndReleaseTakeTheTimeOfOneEach(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            LockStore store = line.backends.one().lockStore();
            String session = open(store, new RecordedEvents());
            Deque<Release> held = new ArrayDeque<>();
            held.add(granted(store, request(session, Duration.ZERO)));
            join(store.release(List.of(held.remove())));
            assertTrips(
                    LEAST_OF_ONE,
                    1.2,
                    "acquire",
                    line,
                    () -> held.add(granted(store, request(session, Duration.ZERO))));
            while (held.size() < ROUNDS * TIMES) {
                held.add(granted(store, request(session, Duration.ZERO)));
            }
            assertTrips(LEAST_OF_ONE, 1.2, "release", line, () -> join(store.release(List.of(held.remove()))));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aHandOverTakesTheTimeOfOneWithAnyNumberOfWaiters(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            LockStore one = line.backends.one().lockStore();
            LockStore other = line.backends.other().lockStore();
            RecordedEvents events = new RecordedEvents();
            String holder = open(one, new RecordedEvents());
            String waiter = open(other, events);
            for (int waiters : new int[] {1, 8}) {
                Deque<Handover> handovers = new ArrayDeque<>();
                for (int i = 0; i < ROUNDS * TIMES; i++) {
                    handovers.add(handover(one, holder, other, waiter, waiters));
                }
                assertTrips(LEAST_OF_ONE, 1.3, "hand-over with " + waiters + " waiters", line, () -> {
                    Handover next = handovers.remove();
                    one.release(List.of(next.release()));
                    events.awaitGrantOf(next.requestId(), PATIENCE);
                });
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void otherModesTakeTwoExchanges(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            LockStore store = line.backends.one().lockStore();
            String session = open(store, new RecordedEvents());
            String known = UUID.randomUUID().toString();
            Deque<Release> held = new ArrayDeque<>();
            for (int i = 0; i < 2; i++) { // prepares the statements
                held.add(granted(store, request(known, session, Duration.ZERO, SHARED)));
                renewed(store, held.getLast());
            }
            join(store.acquire(request(known, session, LEASE, Terms.EXCLUSIVE)));
            join(store.release(List.of(held.remove())));
            held.clear();

            assertEach(2, line, "shared, of a new name", () -> held.add(granted(store, shared(session))));
            assertEach(2, line, "shared, of one that is held", () -> {
                String name = held.getLast().name();
                held.add(granted(store, request(name, session, Duration.ZERO, SHARED)));
            });
            assertEach(2, line, "renewal", () -> renewed(store, held.getLast()));
            assertEach(
                    2,
                    line,
                    "queueing behind readers",
                    () -> join(store.acquire(request(held.getLast().name(), session, LEASE, Terms.EXCLUSIVE))));
            assertEach(2, line, "release", () -> join(store.release(List.of(held.remove()))));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void severalLocksAtOnceTakeOneExchange(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            MultiLockStore store = line.backends.one().lockStore();
            String session = open(store, new RecordedEvents());
            join(store.acquireAll(List.of(request(session, Duration.ZERO)))); // prepares the statement
            List<Acquire> held = new ArrayList<>();
            assertOne(line, "five new names", () -> {
                held.clear();
                for (int i = 0; i < 5; i++) {
                    held.add(request(session, Duration.ZERO));
                }
                assertThat(join(store.acquireAll(held))).hasSize(5).allMatch(Outcome.Granted.class::isInstance);
            });
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) { // the first one also prepares the statements
                List<Acquire> readers = List.of(shared(session), shared(session), shared(session));
                long before = line.proxy.exchanges();
                assertThat(join(store.acquireAll(readers))).hasSize(3).allMatch(Outcome.Granted.class::isInstance);
                least = Math.min(least, line.proxy.exchanges() - before);
            }
            assertThat(least).as("in another mode").isLessThanOrEqualTo(5);
            assertOne(
                    line,
                    "one of them is taken",
                    () -> assertThat(join(store.acquireAll(List.of(
                                    request(session, Duration.ZERO),
                                    request(held.get(0).name(), session, Duration.ZERO)))))
                            .singleElement()
                            .isInstanceOf(Outcome.Busy.class));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aHandOverToReadersOfTwoProcessesTakesTheTimeOfTwo(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            LockStore one = line.backends.one().lockStore();
            LockStore other = line.backends.other().lockStore();
            RecordedEvents here = new RecordedEvents();
            RecordedEvents there = new RecordedEvents();
            String holder = open(one, here);
            String waiter = open(other, there);
            Deque<Release> writers = new ArrayDeque<>();
            Deque<Acquire> readersHere = new ArrayDeque<>();
            Deque<Acquire> readersThere = new ArrayDeque<>();
            for (int i = 0; i < ROUNDS * TIMES; i++) {
                String name = UUID.randomUUID().toString();
                writers.add(granted(one, request(name, holder, Duration.ZERO)));
                readersHere.add(request(name, holder, LEASE, SHARED));
                readersThere.add(request(name, waiter, LEASE, SHARED));
                assertThat(join(other.acquire(readersThere.getLast()))).isInstanceOf(Outcome.Queued.class);
                assertThat(join(one.acquire(readersHere.getLast()))).isInstanceOf(Outcome.Queued.class);
            }
            assertTrips(2 * LEAST_OF_ONE, 2.3, "hand-over to readers", line, () -> {
                one.release(List.of(writers.remove()));
                there.awaitGrantOf(readersThere.remove().requestId(), PATIENCE);
                here.awaitGrantOf(readersHere.remove().requestId(), PATIENCE);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void renewingManyReadersTakesTheTimeOfTwo(Supplier<SqlAddress> database) throws Exception {
        try (Line line = new Line(database.get())) {
            LockStore store = line.backends.one().lockStore();
            String session = open(store, new RecordedEvents());
            List<Renew> renewals = new ArrayList<>();
            for (int i = 0; i < EXACT_TIMES; i++) {
                Release held = granted(store, shared(session));
                renewals.add(new Renew(held.name(), held.token(), Optional.of(LEASE)));
            }
            join(store.renew(renewals));
            assertTrips(
                    2 * LEAST_OF_ONE,
                    2.3,
                    "renewal",
                    line,
                    () -> assertThat(join(store.renew(renewals))).containsOnly(new Renewed.Extended(LEASE)));
        }
    }

    private record Handover(Release release, String requestId) {}

    /** Two backends behind one slow line. */
    private static final class Line implements AutoCloseable {
        private final FaultProxy proxy;
        private final TwoBackends backends;

        Line(SqlAddress at) {
            this.proxy = FaultProxy.to(at.socket());
            this.backends = TwoBackends.on(at.at(proxy.address()));
        }

        @Override
        public void close() {
            backends.close();
            proxy.close();
        }
    }

    private static Handover handover(LockStore one, String holder, LockStore other, String waiter, int waiters) {
        String name = UUID.randomUUID().toString();
        Release release = granted(one, request(name, holder, Duration.ZERO));
        Acquire first = request(name, waiter, LEASE);
        assertThat(join(other.acquire(first))).isInstanceOf(Outcome.Queued.class);
        for (int i = 1; i < waiters; i++) {
            assertThat(join((i % 2 == 0 ? one : other).acquire(request(name, i % 2 == 0 ? holder : waiter, LEASE))))
                    .isInstanceOf(Outcome.Queued.class);
        }
        return new Handover(release, first.requestId());
    }

    private static void assertOne(Line line, String what, RoundTrips.Action action) throws Exception {
        assertEach(1, line, what, action);
    }

    private static void assertEach(long each, Line line, String what, RoundTrips.Action action) throws Exception {
        long before = line.proxy.exchanges();
        for (int i = 0; i < EXACT_TIMES; i++) {
            action.run();
        }
        // The bell asks now and then whether its line is alive.
        assertThat(line.proxy.exchanges() - before).as(what).isBetween(each * EXACT_TIMES, each * EXACT_TIMES + 2L);
    }

    /**
     * Round trips by time: in one of some series, at least {@code least} and at most {@code most}. What a busy machine
     * adds, to the plain round trip too, is the same over any line, and a round trip is not.
     */
    private static void assertTrips(double least, double most, String what, Line line, RoundTrips.Action action)
            throws Exception {
        double trips = 0;
        for (int i = 0; i < ROUNDS && (trips < least || trips > most); i++) {
            trips = RoundTrips.measure(line.proxy, ONE_WAY.multipliedBy(i + 1), TIMES, action);
        }
        assertThat(trips).as(what).isBetween(least, most);
    }

    private static void renewed(LockStore store, Release held) {
        assertThat(join(store.renew(List.of(new Renew(held.name(), held.token(), Optional.of(LEASE))))))
                .containsExactly(new Renewed.Extended(LEASE));
    }

    private static Acquire request(String session, Duration wait) {
        return request(UUID.randomUUID().toString(), session, wait);
    }

    private static Acquire request(String name, String session, Duration wait) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(LEASE), wait);
    }

    private static Acquire shared(String session) {
        return request(UUID.randomUUID().toString(), session, Duration.ZERO, SHARED);
    }

    private static Acquire request(String name, String session, Duration wait, Terms terms) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(LEASE), wait, terms);
    }

    private static Release granted(LockStore store, Acquire request) {
        Outcome outcome = join(store.acquire(request));
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return new Release(request.name(), ((Outcome.Granted) outcome).token());
    }

    private static String open(LockStore store, RecordedEvents events) {
        String id = UUID.randomUUID().toString();
        return join(store.open(new SessionSpec(id, "owner", Duration.ofMinutes(5)), events))
                .id();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
