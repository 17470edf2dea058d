package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * What every {@link WorkerIdSource} must do. A backend's test extends it and supplies the source; groups are fresh in
 * every test, so that one store may serve them all.
 */
public abstract class WorkerIdSourceContract extends WantedWorkerIdContract {
    @Test
    void theFirstClaimHasNothingBeforeItAndAFenceAheadOfItsTime() {
        WorkerSlot slot = source(group).claim(claim(4, NOW));
        assertThat(slot.workerId()).isBetween(0, 3);
        assertThat(slot.claim()).isPositive();
        assertThat(slot.floor()).isEqualTo(Instant.EPOCH);
        assertThat(slot.fence()).isEqualTo(NOW.plus(RESERVE));
    }

    @Test
    void aRepeatedRequestGetsTheSameSlot() {
        WorkerClaim first = claim(4, NOW);
        WorkerSlot slot = source(group).claim(first);
        assertThat(source(group).claim(first)).isEqualTo(slot);
        assertThat(otherSource(group).claim(claim(first.requestId(), 4, LEASE, NOW.plusSeconds(5))))
                .isEqualTo(slot);
        assertThat(source(group).census()).hasSize(1);
    }

    @Test
    void aRepeatedRequestHasItsLeaseAnew() {
        WorkerSlot slot = source(group).claim(claim("r-" + group, 4, Duration.ofSeconds(14), NOW));
        assertThat(source(group).claim(claim("r-" + group, 4, LEASE, NOW))).isEqualTo(slot);
        assertThat(view(source(group), slot.workerId()).leaseLeft()).isGreaterThan(Duration.ofSeconds(20));
    }

    @Test
    void aRequestRepeatedAfterItsLeaseIsANewClaim() {
        WorkerClaim first = claim("r-" + group, 1, shortLease(), NOW);
        WorkerSlot slot = source(group).claim(first);
        awaitEnd(source(group), slot.workerId());
        WorkerSlot again = source(group).claim(first);
        assertThat(again.claim()).isGreaterThan(slot.claim());
        assertThat(again.floor()).isEqualTo(slot.fence());
    }

    @Test
    void everyLiveClaimHasASlotOfItsOwnUntilNoneIsLeft() {
        List<WorkerSlot> slots = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            slots.add((i % 2 == 0 ? source(group) : otherSource(group)).claim(claim(4, NOW)));
        }
        assertThat(slots).extracting(WorkerSlot::workerId).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThatThrownBy(() -> source(group).claim(claim(4, NOW)))
                .isInstanceOf(WorkerIdsExhaustedException.class)
                .hasMessageContaining("someone");
        assertThat(source(group).census()).hasSize(4);
    }

    @Test
    void aReleasedSlotIsFreeAtOnceAndItsFenceIsWhatWasUsed() {
        WorkerSlot slot = source(group).claim(claim(1, NOW));
        Instant used = NOW.plusMillis(1234);
        source(group).release(slot, used);
        assertThat(view(source(group), 0).leaseLeft()).isZero();
        assertThat(view(source(group), 0).fence()).isEqualTo(used);

        WorkerSlot next = otherSource(group).claim(claim(1, NOW.plusSeconds(5)));
        assertThat(next.workerId()).isEqualTo(slot.workerId());
        assertThat(next.claim()).isGreaterThan(slot.claim());
        assertThat(next.floor()).isEqualTo(used);
        assertThat(next.fence()).isEqualTo(NOW.plusSeconds(5).plus(RESERVE));
    }

    @Test
    void aReleaseNeverLowersTheFenceBelowEarlierHolders() {
        WorkerSlot first = source(group).claim(claim(1, NOW));
        source(group).release(first, NOW.plusSeconds(9));
        WorkerSlot second = source(group).claim(claim(1, NOW));
        source(group).release(second, NOW);
        assertThat(source(group).claim(claim(1, NOW)).floor()).isEqualTo(NOW.plusSeconds(9));
    }

    @Test
    void aClaimantWhoseClockIsBehindGetsAFenceAboveTheFloor() {
        WorkerSlot first = source(group).claim(claim(1, NOW));
        source(group).release(first, NOW);
        WorkerSlot late = source(group).claim(claim(1, NOW.minusSeconds(60)));
        assertThat(late.floor()).isEqualTo(NOW);
        assertThat(late.fence()).isEqualTo(NOW.plus(RESERVE));
    }

    @Test
    void anExpiredSlotGoesToTheNextWithItsWholeFence() {
        WorkerSlot slot = source(group).claim(claim(1, NOW));
        Instant fence = NOW.plusSeconds(77);
        assertThat(source(group).renew(slot, shortLease(), fence)).isTrue();
        awaitEnd(source(group), 0);
        WorkerSlot next = otherSource(group).claim(claim(1, NOW));
        assertThat(next.floor()).isEqualTo(fence);
        assertThat(next.claim()).isGreaterThan(slot.claim());
        assertThat(next.fence()).isEqualTo(fence.plus(RESERVE));
    }

    @Test
    void anExpiredClaimIsOverEvenIfNobodyTookItsSlot() {
        WorkerSlot slot = source(group).claim(claim("r-" + group, 2, shortLease(), NOW));
        awaitEnd(source(group), slot.workerId());
        assertThat(source(group).renew(slot, LEASE, NOW.plusSeconds(900))).isFalse();
        source(group).release(slot, NOW);
        assertThat(view(source(group), slot.workerId()).fence()).isEqualTo(slot.fence());
    }

    @Test
    void anOldClaimCanNeitherBeRenewedNorReleased() {
        WorkerSlot old = source(group).claim(claim(1, NOW));
        source(group).release(old, NOW);
        WorkerSlot current = otherSource(group).claim(claim(1, NOW));

        assertThat(source(group).renew(old, Duration.ofDays(1), NOW.plusSeconds(900)))
                .isFalse();
        source(group).release(old, NOW.minusSeconds(10));

        assertThat(view(source(group), 0).fence()).isEqualTo(current.fence());
        assertThat(view(source(group), 0).leaseLeft()).isBetween(Duration.ofSeconds(1), LEASE_ROUNDED);
        assertThat(otherSource(group).renew(current, LEASE, NOW)).isTrue();
    }

    @Test
    void aRenewalExtendsLeaseAndFenceAndCanBeRepeated() {
        WorkerSlot slot = source(group).claim(claim("r-" + group, 1, Duration.ofSeconds(14), NOW));
        Instant fence = NOW.plusSeconds(100);
        assertThat(source(group).renew(slot, LEASE, fence)).isTrue();
        assertThat(source(group).renew(slot, LEASE, fence)).isTrue();
        WorkerSlotView view = view(otherSource(group), 0);
        assertThat(view.fence()).isEqualTo(fence);
        assertThat(view.leaseLeft()).isBetween(Duration.ofSeconds(15), LEASE_ROUNDED);
    }

    @Test
    void aRenewalNeverLowersTheFence() {
        WorkerSlot slot = source(group).claim(claim(1, NOW));
        assertThat(source(group).renew(slot, LEASE, NOW.minusSeconds(500))).isTrue();
        assertThat(view(source(group), 0).fence()).isEqualTo(slot.fence());
    }

    @Test
    void aFenceIsRoundedUpToTheMillisecond() {
        WorkerSlot slot = source(group).claim(claim(1, NOW));
        source(group).renew(slot, LEASE, NOW.plusSeconds(90).plusNanos(1));
        assertThat(view(source(group), 0).fence()).isEqualTo(NOW.plusSeconds(90).plusMillis(1));
        source(group).release(slot, NOW.plusNanos(1));
        assertThat(view(source(group), 0).fence()).isEqualTo(NOW.plusMillis(1));
    }

    @Test
    void aSlotWhoseFenceIsPastIsPreferred() {
        WorkerSlot ahead = source(group).claim(claim(3, NOW));
        WorkerSlot past = source(group).claim(claim(3, NOW));
        WorkerSlot held = source(group).claim(claim(3, NOW));
        source(group).release(ahead, NOW.plusSeconds(50));
        source(group).release(past, NOW.minusSeconds(50));

        assertThat(otherSource(group).claim(claim(3, NOW)).workerId()).isEqualTo(past.workerId());
        assertThat(otherSource(group).claim(claim(3, NOW)).workerId()).isEqualTo(ahead.workerId());
        assertThat(view(source(group), held.workerId()).leaseLeft()).isPositive();
    }

    @Test
    void aSlotThatWasNeverUsedIsPreferredToOneWithAFenceAhead() {
        WorkerSlot ahead = source(group).claim(claim(2, NOW));
        source(group).release(ahead, NOW.plusSeconds(50));
        WorkerSlot fresh = source(group).claim(claim(2, NOW));
        assertThat(fresh.workerId()).isNotEqualTo(ahead.workerId());
        assertThat(fresh.floor()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void ofFencesAheadTheLeastIsTaken() {
        List<WorkerSlot> slots = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            slots.add(source(group).claim(claim(3, NOW)));
        }
        source(group).release(slots.get(0), NOW.plusSeconds(30));
        source(group).release(slots.get(1), NOW.plusSeconds(10));
        source(group).release(slots.get(2), NOW.plusSeconds(20));
        WorkerSlot next = source(group).claim(claim(3, NOW));
        assertThat(next.workerId()).isEqualTo(slots.get(1).workerId());
        assertThat(next.floor()).isEqualTo(NOW.plusSeconds(10));
    }

    @Test
    void theClaimantsClockHasNoPartInItsLease() {
        WorkerSlot past = source(group).claim(claim(2, NOW.minus(Duration.ofDays(3000))));
        WorkerSlot future = source(group).claim(claim(2, NOW.plus(Duration.ofDays(3000))));
        for (WorkerSlot slot : List.of(past, future)) {
            assertThat(view(source(group), slot.workerId()).leaseLeft())
                    .isBetween(Duration.ofSeconds(15), LEASE_ROUNDED);
        }
    }

    @Test
    void theCensusNamesWhoHoldsWhatAndSinceWhen() {
        assertThat(source(group).census()).isEmpty();
        WorkerSlot slot = source(group)
                .claim(new WorkerClaim("r-" + group, "host-7:4711 ä", LAYOUT, 1024, LEASE, NOW, RESERVE).inNewStore());
        source(group).claim(claim(1024, NOW));
        List<WorkerSlotView> census = otherSource(group).census();
        assertThat(census).extracting(WorkerSlotView::workerId).isSorted().hasSize(2);
        WorkerSlotView view = view(otherSource(group), slot.workerId());
        assertThat(view.owner()).isEqualTo("host-7:4711 ä");
        assertThat(view.since()).isBetween(NOW.minusSeconds(600), NOW.plusSeconds(600));
        assertThat(view.leaseLeft()).isBetween(Duration.ofSeconds(15), LEASE_ROUNDED);
        assertThat(view.fence()).isEqualTo(slot.fence());
    }

    @Test
    void anotherLayoutOrCapacityIsRefused() {
        WorkerSlot slot = source(group).claim(claim(4, NOW));
        WorkerClaim otherLayout =
                new WorkerClaim("r-" + group, "x", "other layout", 4, LEASE, NOW, RESERVE).inNewStore();
        assertThatThrownBy(() -> otherSource(group).claim(otherLayout))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining(LAYOUT)
                .hasMessageContaining("other layout");
        assertThatThrownBy(() -> source(group).claim(claim(8, NOW))).isInstanceOf(DefinitionConflictException.class);
        assertThat(source(group).census()).hasSize(1);

        source(group).release(slot, NOW);
        assertThatThrownBy(() -> source(group).claim(otherLayout)).isInstanceOf(DefinitionConflictException.class);
    }

    @Test
    void groupsDoNotSeeEachOther() {
        source(group).claim(claim(1, NOW));
        String other = group.toUpperCase(Locale.ROOT);
        WorkerSlot slot =
                source(other).claim(new WorkerClaim("r", "x", "other layout", 1, LEASE, NOW, RESERVE).inNewStore());
        assertThat(slot.workerId()).isZero();
        assertThat(slot.floor()).isEqualTo(Instant.EPOCH);
        source(other).release(slot, NOW);
        assertThat(view(source(group), 0).leaseLeft()).isPositive();
    }

    @Test
    void badArgumentsAreRefused() {
        WorkerSlot slot = source(group).claim(claim(1, NOW));
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(366))) {
            assertThatThrownBy(() -> source(group).renew(slot, bad, NOW)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String bad : List.of("", "a\nb", "x".repeat(201))) {
            assertThatThrownBy(() -> source(bad).claim(claim(1, NOW))).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(source(group).renew(slot, LEASE, NOW)).isTrue();
    }

    @Test
    void eightThreadsGetEightSlotsAndTheNinthNone() {
        List<WorkerSlot> slots = Concurrently.on(
                THREADS, i -> (i % 2 == 0 ? source(group) : otherSource(group)).claim(claim(THREADS, NOW)));
        assertThat(slots)
                .extracting(WorkerSlot::workerId)
                .doesNotHaveDuplicates()
                .hasSize(THREADS);
        assertThatThrownBy(() -> source(group).claim(claim(THREADS, NOW)))
                .isInstanceOf(WorkerIdsExhaustedException.class);
    }

    @Test
    void eightThreadsWithOneRequestGetOneSlot() {
        WorkerClaim claim = claim(64, NOW);
        List<WorkerSlot> slots =
                Concurrently.on(THREADS, i -> (i % 2 == 0 ? source(group) : otherSource(group)).claim(claim));
        assertThat(slots.stream().distinct()).hasSize(1);
        assertThat(source(group).census()).hasSize(1);
    }

    @Test
    void whoTakesTurnsOnOneSlotNeverSharesATimestamp() {
        List<List<WorkerSlot>> taken = Concurrently.on(4, i -> {
            List<WorkerSlot> mine = new ArrayList<>();
            WorkerIdSource source = i % 2 == 0 ? source(group) : otherSource(group);
            for (int turn = 0; turn < 25; turn++) {
                try {
                    WorkerSlot slot = source.claim(claim(1, NOW));
                    mine.add(slot);
                    source.release(
                            slot,
                            slot.floor().isBefore(NOW) ? NOW : slot.floor().plusMillis(1));
                } catch (WorkerIdsExhaustedException e) {
                    Thread.onSpinWait(); // somebody else's turn
                }
            }
            return mine;
        });
        List<WorkerSlot> all = taken.stream().flatMap(List::stream).toList();
        assertThat(all).extracting(WorkerSlot::claim).doesNotHaveDuplicates();
        assertThat(all).extracting(WorkerSlot::floor).doesNotHaveDuplicates();
    }
}
