package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeasedWorkerIdTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final IdLayout TWO_WORKERS =
            IdLayout.builder().workerBits(1).sequenceBits(12).build();
    private static final IdLayout FOUR_WORKERS =
            IdLayout.builder().workerBits(2).sequenceBits(12).build();
    private static final IdLayout ONE_WORKER =
            IdLayout.builder().workerBits(0).sequenceBits(12).build();

    private final JumpyClock clock = new JumpyClock(NOW);
    private final TableWorkerIds store = new TableWorkerIds(clock);

    private LeasedWorkerId lease(IdLayout layout) {
        return WorkerId.builder(store, layout)
                .owner("me")
                .leaseTime(LEASE)
                .time(clock)
                .unscheduled()
                .leased();
    }

    private static BackendUnavailableException away() {
        return new BackendUnavailableException("away");
    }

    @Test
    void issuesWithoutAskingTheStoreAndUnderItsFence() {
        LeasedWorkerId worker = lease(TWO_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWO_WORKERS, worker);
        int calls = store.calls();
        for (int i = 0; i < 10_000; i++) {
            IdParts parts = TWO_WORKERS.decode(ids.nextId());
            assertThat(parts.workerId()).isEqualTo(worker.value());
            assertThat(parts.time()).isBeforeOrEqualTo(store.fence(0));
            clock.advance(Duration.ofNanos(500_000));
        }
        assertThat(store.calls()).isEqualTo(calls);
    }

    @Test
    void goesOnThroughAnOutageUntilItsOwnDeadlineAndThenIssuesNothing() {
        LeasedWorkerId worker = lease(TWO_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWO_WORKERS, worker);
        store.failWith(LeasedWorkerIdTest::away);

        clock.advance(LEASE.multipliedBy(9).dividedBy(10).minusMillis(1));
        worker.runOnce();
        ids.nextId();
        clock.advance(Duration.ofMillis(1));
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(BackendUnavailableException.class);
        assertThatThrownBy(() -> ids.fill(new long[2])).isInstanceOf(LeaseLostException.class);

        store.failWith(null);
        clock.advance(Duration.ofSeconds(1));
        long id = ids.nextId();
        assertThat(TWO_WORKERS.decode(id).workerId())
                .as("still the store's as well")
                .isZero();
    }

    @Test
    void aStoreThatFailsIsNotAskedForEveryId() {
        LeasedWorkerId worker = lease(TWO_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWO_WORKERS, worker);
        store.failWith(LeasedWorkerIdTest::away);
        clock.advance(LEASE);
        int calls = store.calls();
        for (int i = 0; i < 1000; i++) {
            assertThatThrownBy(ids::nextId).isInstanceOf(LeaseLostException.class);
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(store.calls() - calls).isBetween(1, 2);
    }

    @Test
    void anExpiredLeaseBringsAFreshClaimAndKeepsTheOrder() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        long last = ids.nextId();
        clock.advance(LEASE.multipliedBy(4));
        long next = ids.nextId();
        assertThat(next).isGreaterThan(last);
        assertThat(store.leased(0)).isTrue();
    }

    @Test
    void aRenewalExtendsLeaseAndFence() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        for (int i = 0; i < 50; i++) {
            clock.advance(LEASE.dividedBy(3));
            worker.runOnce();
            int calls = store.calls();
            assertThat(ONE_WORKER.decode(ids.nextId()).time()).isEqualTo(clock.now());
            assertThat(store.calls()).isEqualTo(calls);
            assertThat(store.fence(0)).isAfterOrEqualTo(clock.now().plus(LEASE));
        }
    }

    @Test
    void aStolenLeaseIsNoticedByThePassAndReplaced() {
        LeasedWorkerId worker = lease(FOUR_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(FOUR_WORKERS, worker);
        long last = ids.nextId();
        store.steal(0);
        LeasedWorkerId thief = lease(FOUR_WORKERS);
        worker.runOnce();
        long next = ids.nextId();
        assertThat(worker.value()).isNotEqualTo(thief.value());
        assertThat(next).isGreaterThan(last);
        assertThat(FOUR_WORKERS.decode(next).workerId()).isEqualTo(worker.value());
    }

    @Test
    void aStolenLeaseWithNoSpareStopsTheGeneratorAtOnce() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        ids.nextId();
        store.steal(0);
        LeasedWorkerId thief = lease(ONE_WORKER);
        worker.runOnce();
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(WorkerIdsExhaustedException.class);

        thief.close();
        clock.advance(Duration.ofSeconds(1));
        assertThatThrownBy(ids::nextId)
                .as("free again, but its time was reserved by the thief's predecessor")
                .isInstanceOf(ClockMovedBackwardsException.class);
        clock.advance(LEASE.dividedBy(2));
        worker.runOnce();
        clock.advance(LEASE.dividedBy(2));
        ids.nextId();
    }

    /** The thief may not use anything that the victim may still use, before it has noticed. */
    @Test
    void whatAVictimStillIssuesIsNotIssuedByTheThief() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        ids.nextId();
        store.steal(0);
        SnowflakeGenerator thief = SnowflakeGenerator.builder(ONE_WORKER, lease(ONE_WORKER))
                .tolerance(Duration.ofMinutes(2))
                .build();
        long latest = 0;
        for (int i = 0; i < 100; i++) {
            latest = ids.nextId();
            clock.advance(Duration.ofMillis(10));
        }
        assertThat(thief.nextId()).isGreaterThan(latest);
        assertThat(clock.parked()).isGreaterThan(Duration.ofSeconds(25));
    }

    @Test
    void aRestartAfterAKillTakesAnotherWorkerIdAndNeedNotWait() {
        SnowflakeGenerator killed = SnowflakeGenerator.create(TWO_WORKERS, lease(TWO_WORKERS));
        killed.fill(new long[50_000]);
        Duration parked = clock.parked();
        SnowflakeGenerator restarted = SnowflakeGenerator.create(TWO_WORKERS, lease(TWO_WORKERS));
        assertThat(TWO_WORKERS.decode(restarted.nextId()).workerId()).isEqualTo(1);
        assertThat(clock.parked()).isEqualTo(parked);
    }

    @Test
    void closingGivesTheWorkerIdBackWithWhatWasUsed() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        clock.advance(Duration.ofMillis(7));
        long last = ids.nextId();
        worker.close();
        worker.close();
        assertThat(store.leased(0)).isFalse();
        assertThat(store.fence(0)).isEqualTo(ONE_WORKER.decode(last).time());
        assertThatThrownBy(ids::nextId).isInstanceOf(IllegalStateException.class);
        worker.runOnce();
        assertThat(store.leased(0)).isFalse();

        clock.advance(Duration.ofMillis(1));
        SnowflakeGenerator next = SnowflakeGenerator.create(ONE_WORKER, lease(ONE_WORKER));
        assertThat(next.nextId()).isGreaterThan(last);
    }

    @Test
    void closingWithoutHavingIssuedLeavesNoTraceInTheFence() {
        lease(ONE_WORKER).close();
        assertThat(store.fence(0)).isEqualTo(Instant.EPOCH);
    }

    @Test
    void closingWhileTheStoreIsAwayDoesNotThrow() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        store.failWith(LeasedWorkerIdTest::away);
        worker.close();
        assertThat(store.leased(0)).isTrue();
    }

    @Test
    void aStepBackBeyondToleranceMovesToASpareWorkerIdWithoutWaiting() {
        LeasedWorkerId worker = lease(TWO_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWO_WORKERS, worker);
        long before = ids.nextId();
        clock.step(Duration.ofMinutes(-10));
        clock.advance(Duration.ofMillis(2));
        IdParts parts = TWO_WORKERS.decode(ids.nextId());
        assertThat(parts.workerId()).isEqualTo(1);
        assertThat(parts.time())
                .isBetween(clock.now().minusMillis(1), clock.now().plusMillis(1));
        assertThat(clock.parked()).isZero();
        assertThat(store.leased(0)).isFalse();
        assertThat(store.fence(0))
                .as("what was in fact used")
                .isEqualTo(TWO_WORKERS.decode(before).time());
    }

    @Test
    void aStepBackWithNoSpareIsRefusedUntilTheClockIsMended() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        long before = ids.nextId();
        clock.step(Duration.ofMinutes(-10));
        clock.advance(Duration.ofMillis(2));
        int calls = store.calls();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        }
        assertThat(store.calls() - calls).isEqualTo(1);
        clock.step(Duration.ofMinutes(10));
        clock.advance(Duration.ofMillis(2));
        assertThat(ids.nextId()).isGreaterThan(before);
    }

    @Test
    void aSpareThatWasUsedAfterThatTimeIsNoSpare() {
        LeasedWorkerId worker = lease(TWO_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWO_WORKERS, worker);
        LeasedWorkerId other = lease(TWO_WORKERS);
        SnowflakeGenerator.create(TWO_WORKERS, other).nextId();
        ids.nextId();
        other.close();
        clock.step(Duration.ofMinutes(-10));
        clock.advance(Duration.ofMillis(2));
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(ClockMovedBackwardsException.class)
                .hasMessageContaining("after that time");
        assertThat(store.leased(1)).isFalse();
        assertThat(store.leased(0)).isTrue();
    }

    @Test
    void aStepForwardIsReservedBeforeItIsUsed() {
        LeasedWorkerId worker = lease(ONE_WORKER);
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        ids.nextId();
        clock.step(Duration.ofHours(1));
        clock.advance(Duration.ofMillis(2));
        store.failWith(LeasedWorkerIdTest::away);
        assertThatThrownBy(ids::nextId).isInstanceOf(BackendUnavailableException.class);
        assertThat(store.fence(0)).isBefore(clock.now());

        store.failWith(null);
        clock.advance(Duration.ofSeconds(1));
        IdParts parts = ONE_WORKER.decode(ids.nextId());
        assertThat(parts.time()).isEqualTo(clock.now());
        assertThat(store.fence(0)).isAfter(parts.time());
    }

    @Test
    void aStoreThatFailedToReserveIsAskedAgainThoughCallersNeverPause() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, lease(ONE_WORKER));
        ids.nextId();
        clock.step(Duration.ofHours(1));
        store.failWith(LeasedWorkerIdTest::away);
        int calls = store.calls();
        for (int i = 0; i < 5000; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThatThrownBy(ids::nextId).isInstanceOf(BackendUnavailableException.class);
        }
        assertThat(store.calls() - calls).as("once a second").isBetween(4, 6);
        store.failWith(null);
        clock.advance(Duration.ofSeconds(1));
        ids.nextId();
    }

    @Test
    void aClockThatStaysBackHasTheStoreAskedForASpareOnceASecond() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, lease(ONE_WORKER));
        ids.nextId();
        clock.step(Duration.ofHours(-1));
        int calls = store.calls();
        for (int i = 0; i < 5000; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        }
        assertThat(store.calls() - calls).isBetween(4, 6);
    }

    @Test
    void aLostReplyToAReservationIssuesNothingAndTheNextCallDoes() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, lease(ONE_WORKER));
        long last = ids.nextId();
        clock.step(Duration.ofHours(1));
        clock.advance(Duration.ofMillis(2));
        store.loseNextReplyWith(() -> new OutcomeUnknownException("reply lost"));
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(BackendUnavailableException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        clock.advance(Duration.ofSeconds(1));
        assertThat(ids.nextId()).isGreaterThan(last);
    }

    @Test
    void aLeaseFoundLostWhenReservingIsSaidToBeLost() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, lease(ONE_WORKER));
        ids.nextId();
        store.steal(0);
        lease(ONE_WORKER);
        clock.step(Duration.ofHours(1));
        clock.advance(Duration.ofMillis(2));
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(WorkerIdsExhaustedException.class);
    }

    @Test
    void aStoreThatIsAwayAtTheStartIsSaidToBe() {
        store.failWith(LeasedWorkerIdTest::away);
        assertThatThrownBy(() -> lease(ONE_WORKER)).isInstanceOf(BackendUnavailableException.class);
    }

    /**
     * Set back by 1 ms and 1 s it is waited for, by 1 h there is a spare, and before the epoch there is no time at all.
     */
    @Test
    void howeverFarTheClockIsSetBackNoIdIsRepeated() {
        Set<Long> issued = new HashSet<>();
        SnowflakeGenerator ids = SnowflakeGenerator.create(FOUR_WORKERS, lease(FOUR_WORKERS));
        assertThat(issued.add(ids.nextId())).isTrue();
        for (Duration back : List.of(Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofHours(1))) {
            clock.step(back.negated());
            clock.advance(Duration.ofMillis(2));
            for (int i = 0; i < 10_000; i++) {
                assertThat(issued.add(ids.nextId())).isTrue();
            }
        }
        Instant now = clock.now();
        clock.step(Duration.between(now, FOUR_WORKERS.epoch().minusSeconds(3600)));
        clock.advance(Duration.ofMillis(2));
        assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        clock.step(Duration.between(clock.now(), now));
        clock.advance(Duration.ofMillis(2));
        assertThat(issued.add(ids.nextId())).isTrue();
    }

    @Test
    void aClaimWhoseReplyWasLostIsRepeatedAndWastesNoWorkerId() {
        LeasedWorkerId worker = lease(TWO_WORKERS);
        SnowflakeGenerator ids = SnowflakeGenerator.create(TWO_WORKERS, worker);
        store.steal(0);
        LeasedWorkerId thief = lease(TWO_WORKERS);
        assertThat(thief.value()).isEqualTo(1);
        // The renewal is refused; then the claim gets worker 0 back, but its reply is lost.
        clock.advance(LEASE);
        thief.runOnce();
        store.loseNextReplyWith(() -> new OutcomeUnknownException("reply lost"));
        assertThatThrownBy(ids::nextId).isInstanceOf(LeaseLostException.class);
        clock.advance(Duration.ofSeconds(1));
        ids.nextId();
        assertThat(store.census()).hasSize(2);
    }

    @Test
    void aConflictingLayoutIsRefusedAtTheStart() {
        lease(TWO_WORKERS);
        assertThatThrownBy(() -> lease(ONE_WORKER)).isInstanceOf(DefinitionConflictException.class);
        LeasedWorkerId worker = lease(TWO_WORKERS);
        assertThatThrownBy(() -> SnowflakeGenerator.create(IdLayout.twitter(), worker))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void exhaustionIsRefusedAtTheStart() {
        lease(ONE_WORKER);
        assertThatThrownBy(() -> lease(ONE_WORKER))
                .isInstanceOf(WorkerIdsExhaustedException.class)
                .hasMessageContaining("me");
    }

    @Test
    void refusesBadChoices() {
        WorkerId.Builder builder = WorkerId.builder(store, ONE_WORKER);
        for (Duration bad : List.of(
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofMillis(99),
                WorkerId.Builder.LEASE_MAX.plusMillis(1))) {
            assertThatThrownBy(() -> builder.leaseTime(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> builder.owner("")).isInstanceOf(IllegalArgumentException.class);
        builder.leaseTime(WorkerId.Builder.LEASE_MAX).lease().close();
        assertThat(store.census().get(0).owner())
                .contains(Long.toString(ProcessHandle.current().pid()));
    }

    @Test
    void isRenewedInTheBackground() {
        TableWorkerIds real = new TableWorkerIds(TimeSource.system());
        try (WorkerId worker = WorkerId.builder(real, ONE_WORKER)
                .leaseTime(Duration.ofSeconds(15)) // so that it survives a machine that stands still
                .lease()) {
            SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
            Instant first = real.census().get(0).since();
            Instant fence = real.fence(0);
            await().atMost(Duration.ofSeconds(60)).until(() -> real.fence(0).isAfter(fence.plusMillis(1500)));
            ids.nextId();
            assertThat(real.census().get(0).since()).as("the same claim").isEqualTo(first);
        }
        assertThat(real.leased(0)).isFalse();
    }
}
