package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Worker IDs of a store that forgets who holds them. */
class ForgetfulStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final IdLayout LAYOUT =
            IdLayout.builder().workerBits(2).sequenceBits(12).build();

    private final JumpyClock clock = new JumpyClock(NOW);
    private final TableWorkerIds store = new TableWorkerIds(clock);
    private final List<WorkerIdsForgottenException> told = new ArrayList<>();

    private WorkerId.Builder builder() {
        return WorkerId.builder(store, LAYOUT)
                .owner("me")
                .leaseTime(LEASE)
                .time(clock)
                .whenForgotten(told::add)
                .unscheduled();
    }

    private LeasedWorkerId leased() {
        return builder().newStore().leased();
    }

    @Test
    void aHolderKeepsItsWorkerIdInAStoreThatForgotItAndIsTold() {
        LeasedWorkerId worker = leased();
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        long before = ids.nextId();

        store.forgetAll();
        worker.runOnce();

        assertThat(worker.value()).isEqualTo(LAYOUT.decode(before).workerId());
        assertThat(store.leased(worker.value())).isTrue();
        assertThat(ids.nextId()).isGreaterThan(before);
        assertThat(told).hasSize(1);
        worker.runOnce();
        assertThat(told).as("once").hasSize(1);
    }

    @Test
    void nobodyElseGetsAWorkerIdBeforeTheLeasesOfBeforeAreOver() {
        LeasedWorkerId worker = leased();
        store.forgetAll();

        assertThatThrownBy(() -> builder().settlingMax(Duration.ZERO).leased())
                .isInstanceOfSatisfying(
                        WorkerIdsForgottenException.class,
                        e -> assertThat(e.retryAfter()).isEqualTo(LEASE))
                .hasMessageContaining("restarted, restored, emptied, or is new");
        worker.runOnce();
        LeasedWorkerId other = builder().leased();

        assertThat(clock.now()).isAfterOrEqualTo(NOW.plus(LEASE));
        assertThat(other.value()).isNotEqualTo(worker.value());
    }

    @Test
    void whatAHolderHasIsNoOnesWhoKnowsAnOlderCopy() {
        LeasedWorkerId first = leased();
        store.copy();
        first.close();
        LeasedWorkerId second = leased();
        assertThat(second.value()).isEqualTo(first.value());

        store.restore();
        second.runOnce();
        LeasedWorkerId third = builder().leased();

        assertThat(told).hasSize(1);
        assertThat(third.value()).isNotEqualTo(second.value());
    }

    @Test
    void aHolderThatStoodStillMeanwhileIsNotHeard() {
        LeasedWorkerId worker = leased();
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        ids.nextId();
        store.forgetAll();
        clock.advance(LEASE);

        assertThatThrownBy(ids::nextId)
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(WorkerIdsForgottenException.class);
        assertThat(told).isEmpty();
        clock.advance(LEASE.plusMillis(1));
        ids.nextId();
    }

    @Test
    void aLostAnswerTakesNoSecondSlotAndKeepsTheTime() {
        LeasedWorkerId worker = leased();
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        store.forgetAll();
        // The renewal finds nothing; the reply to what is told then is lost.
        worker.runOnce();
        store.forgetAll();
        store.failWith(() -> new BackendUnavailableException("away"));
        worker.runOnce();
        store.failWith(null);
        long before = ids.nextId();
        clock.advance(Duration.ofSeconds(2));
        worker.runOnce();

        assertThat(ids.nextId()).isGreaterThan(before);
        assertThat(store.census()).hasSize(1);
        assertThat(store.fence(worker.value())).isAfter(clock.now());
    }

    @Test
    void anOutcomeThatIsUnknownIsAskedForAgain() {
        LeasedWorkerId worker = leased();
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        long before = ids.nextId();
        store.forgetAll();
        store.loseNextClaimWith(() -> new OutcomeUnknownException("lost"));
        worker.runOnce();
        assertThat(ids.nextId()).as("its own lease lasts").isGreaterThan(before);
        clock.advance(Duration.ofSeconds(2));
        worker.runOnce();

        assertThat(store.census()).hasSize(1);
        assertThat(store.leased(worker.value())).isTrue();
        assertThat(told).hasSize(1);
    }

    @Test
    void whoHearsOfItMayCloseTheWorkerId() {
        AtomicReference<WorkerId> closing = new AtomicReference<>();
        LeasedWorkerId worker =
                builder().newStore().whenForgotten(e -> closing.get().close()).leased();
        closing.set(worker);
        store.forgetAll();

        assertTimeoutPreemptively(Duration.ofSeconds(60), worker::runOnce);

        assertThat(store.leased(worker.value())).isFalse();
    }

    @Test
    void aListenerThatFailsEndsNoRenewal() {
        LeasedWorkerId worker = builder()
                .newStore()
                .whenForgotten(e -> {
                    throw new AssertionError("no");
                })
                .leased();
        store.forgetAll();
        worker.runOnce();
        worker.runOnce();
        assertThat(store.leased(worker.value())).isTrue();
    }

    @Test
    void aNewGroupWaitsOnceAndANewStoreNever() {
        store.forgetAll();
        LeasedWorkerId first = builder().leased();
        assertThat(clock.now()).isAfterOrEqualTo(NOW.plus(LEASE));
        Instant then = clock.now();
        builder().leased();
        assertThat(Duration.between(then, clock.now())).isLessThan(Duration.ofSeconds(1));
        assertThat(first.value()).isZero();
    }
}
