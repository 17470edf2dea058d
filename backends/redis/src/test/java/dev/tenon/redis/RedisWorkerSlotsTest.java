package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;

/**
 * The promises of a worker ID source, through random claims, renewals, releases and expiries, on a clock of the test's.
 */
class RedisWorkerSlotsTest {
    private static final int CAPACITY = 3;
    private static final Duration RESERVE = Duration.ofSeconds(30);

    private final ManualRedis redis = new ManualRedis();
    private final WorkerIdSource source = new RedisWorkerIdSource(
            redis.link(), RedisWorkerIdSource.Scripts.onClock(ManualRedis.CLOCK), "slots", "group");

    /** What must be true of one slot: the model. */
    private static final class Model {
        private final WorkerSlot last;
        private final Instant since;
        private Instant leaseEnd;
        private Instant fence;

        Model(WorkerSlot last, Instant since, Duration lease) {
            this.last = last;
            this.since = since;
            this.leaseEnd = since.plus(lease);
            this.fence = last.fence();
        }
    }

    private Map<Integer, Model> models = new HashMap<>();
    private List<WorkerSlot> everyClaim = new ArrayList<>();
    private int requests;

    /**
     * One call: what to do, which of the claims so far it is about, a lease, and how far the claimant's clock is off.
     */
    record Call(String verb, int claim, Duration lease, Duration skew) {}

    @AfterProperty
    void close() {
        redis.close();
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void noSlotIsLentTwiceAndNoFenceGoesBack(@ForAll("calls") List<Call> calls) {
        redis.reset(Instant.now().truncatedTo(ChronoUnit.MILLIS));
        models = new HashMap<>();
        everyClaim = new ArrayList<>();
        for (Call call : calls) {
            WorkerSlot old = everyClaim.isEmpty() ? null : everyClaim.get(call.claim % everyClaim.size());
            switch (call.verb) {
                case "wait" -> redis.advance(call.lease);
                case "claim" -> claim(call);
                case "renew" -> Optional.ofNullable(old).ifPresent(slot -> renew(slot, call));
                default -> Optional.ofNullable(old).ifPresent(slot -> release(slot, call));
            }
        }
        assertCensus();
    }

    @Provide
    Arbitrary<List<Call>> calls() {
        return Combinators.combine(
                        Arbitraries.of("claim", "claim", "claim", "renew", "release", "wait"),
                        Arbitraries.integers().between(0, 1000),
                        Arbitraries.longs().between(1, 60_000).map(Duration::ofMillis),
                        Arbitraries.longs().between(-100_000, 100_000).map(Duration::ofMillis))
                .as(Call::new)
                .list()
                .ofMinSize(5)
                .ofMaxSize(60);
    }

    private void claim(Call call) {
        Instant claimantNow = redis.now().plus(call.skew);
        WorkerClaim any = new WorkerClaim(
                        "request-" + requests++, "owner", "layout", CAPACITY, call.lease, claimantNow, RESERVE)
                .inNewStore();
        WorkerClaim claim = call.claim % 4 == 0 ? any.wanting(call.claim / 4 % CAPACITY) : any;
        WorkerSlot slot;
        try {
            slot = source.claim(claim);
        } catch (WorkerIdTakenException e) {
            Model taken = models.get(claim.wanted().orElseThrow());
            assertThat(leased(taken)).isTrue();
            assertThat(e).hasMessageContaining(taken.last.workerId() + " by owner since " + taken.since);
            return;
        } catch (WorkerIdsExhaustedException e) {
            assertThat(models.values()).hasSize(CAPACITY).allMatch(this::leased);
            return;
        }
        Model before = models.get(slot.workerId());
        if (before == null) {
            assertThat(slot.workerId()).isEqualTo(claim.wanted().orElseGet(this::firstUnclaimed));
            assertThat(slot.floor()).isEqualTo(Instant.EPOCH);
        } else {
            assertThat(leased(before)).as("lent twice").isFalse();
            assertThat(slot.claim()).isGreaterThan(before.last.claim());
            assertThat(slot.floor()).isEqualTo(before.fence);
        }
        Instant start = slot.floor().isBefore(claimantNow) ? claimantNow : slot.floor();
        assertThat(slot.fence()).isEqualTo(start.plus(RESERVE));
        if (claim.wanted().isEmpty() && !slot.floor().isBefore(claimantNow)) {
            assertThat(models).as("a fresh slot would have done").hasSize(CAPACITY);
            assertThat(models.values().stream().filter(m -> !leased(m)))
                    .as("the least fence is taken")
                    .allMatch(m -> !m.fence.isBefore(slot.floor()));
        }
        models.put(slot.workerId(), new Model(slot, redis.now(), call.lease));
        everyClaim.add(slot);
        assertThat(source.claim(claim)).as("repeated").isEqualTo(slot);
    }

    private void renew(WorkerSlot slot, Call call) {
        Instant fence = redis.now().plus(call.skew);
        Model model = models.get(slot.workerId());
        boolean mine = model.last.equals(slot) && leased(model);
        assertThat(source.renew(slot, call.lease, fence)).isEqualTo(mine);
        if (mine) {
            model.leaseEnd = redis.now().plus(call.lease);
            model.fence = fence.isAfter(model.fence) ? fence : model.fence;
        }
    }

    private void release(WorkerSlot slot, Call call) {
        Instant lastUsed = redis.now().plus(call.skew);
        Model model = models.get(slot.workerId());
        boolean mine = model.last.equals(slot) && leased(model);
        source.release(slot, lastUsed);
        if (mine) {
            model.leaseEnd = redis.now();
            model.fence = lastUsed.isAfter(slot.floor()) ? lastUsed : slot.floor();
        }
    }

    private void assertCensus() {
        List<WorkerSlotView> census = source.census();
        assertThat(census).hasSize(models.size());
        for (WorkerSlotView view : census) {
            Model model = models.get(view.workerId());
            assertThat(view.fence()).isEqualTo(model.fence);
            Duration left = Duration.between(redis.now(), model.leaseEnd);
            assertThat(view.leaseLeft()).isEqualTo(left.isNegative() ? Duration.ZERO : left);
        }
    }

    private int firstUnclaimed() {
        return IntStream.range(0, CAPACITY)
                .filter(id -> !models.containsKey(id))
                .findFirst()
                .orElseThrow();
    }

    private boolean leased(Model model) {
        return model.leaseEnd.isAfter(redis.now());
    }
}
