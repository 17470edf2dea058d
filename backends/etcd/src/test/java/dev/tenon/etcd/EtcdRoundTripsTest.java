package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RoundTrips;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a call costs, by time over a slow line. */
class EtcdRoundTripsTest {
    private static final Duration ONE_WAY = Duration.ofMillis(50);
    private static final int TIMES = 5;
    private static final Duration LEASE = Duration.ofSeconds(60);

    private final EtcdAddress address = EtcdServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    private final EtcdBackend etcd =
            EtcdBackend.connect(EtcdOptions.of(address.at(proxy.address()).endpoint())
                    .withKeyPrefix(address.keyPrefix())
                    .withCommandTimeout(Duration.ofSeconds(30)));

    @AfterEach
    void close() {
        etcd.close();
        proxy.close();
    }

    @Test
    void aRangeTakesTheTimeOfOneRoundTrip() throws Exception {
        etcd.ranges().next("sequence", 1);
        assertRoundTrips(
                0.9,
                1.6,
                line -> RoundTrips.measure(
                        proxy, line, TIMES, () -> etcd.ranges().next("sequence", 10)));
    }

    @Test
    void theFirstRangeOfANameThatIsThereAlreadyTakesTwo() throws Exception {
        try (EtcdBackend other = EtcdBackend.connect(EtcdOptions.of(address.endpoint())
                .withKeyPrefix(address.keyPrefix())
                .withCommandTimeout(Duration.ofSeconds(30)))) {
            assertRoundTrips(1.9, 2.7, line -> {
                Deque<String> names = new ArrayDeque<>();
                for (int i = 0; i < TIMES; i++) {
                    names.add("sequence-" + line + "-" + i);
                    other.ranges().next(names.getLast(), 1);
                }
                return RoundTrips.measure(
                        proxy, line, TIMES, () -> etcd.ranges().next(names.remove(), 1));
            });
        }
    }

    @Test
    void aWorkerIdTakesThreeItsRenewalTwoAndItsReleaseTwo() throws Exception {
        WorkerIdSource source = etcd.workerIds("group");
        source.claim(claim()); // the group's first takes 3 more
        Deque<WorkerSlot> slots = new ArrayDeque<>();
        assertRoundTrips(
                2.9, 3.8, line -> RoundTrips.measure(proxy, line, TIMES, () -> slots.add(source.claim(claim()))));
        WorkerSlot first = slots.getFirst();
        assertRoundTrips(
                1.9,
                2.7,
                line -> RoundTrips.measure(
                        proxy,
                        line,
                        TIMES,
                        () -> source.renew(first, LEASE, Instant.now().plus(LEASE))));
        assertRoundTrips(1.9, 2.7, line -> {
            while (slots.size() < TIMES) {
                slots.add(source.claim(claim()));
            }
            return RoundTrips.measure(proxy, line, TIMES, () -> source.release(slots.remove(), Instant.now()));
        });
    }

    private static void assertRoundTrips(double least, double most, RoundTrips.Measure measure) throws Exception {
        assertThat(RoundTrips.within(least, most, ONE_WAY, measure)).isBetween(least, most);
    }

    private static WorkerClaim claim() {
        return new WorkerClaim(UUID.randomUUID().toString(), "test", "layout", 128, LEASE, Instant.now(), LEASE)
                .inNewStore();
    }
}
