package dev.tenon.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockMachine.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One transition at a time, the refused ones first. */
class LockMachineTest {
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final LockState FREE = LockState.free("stock", 10);

    @Test
    void aGrantRaisesTheTokenAboveTheLastOneAndTheSeed() {
        assertThat(granted(acquire(FREE, "a", T0, 7)).token()).isEqualTo(42);
        assertThat(granted(acquire(FREE, "a", T0, 1000)).token()).isEqualTo(1000);
    }

    @Test
    void aHolderIsNotReplacedBeforeItsLeaseIsOver() {
        LockState held = acquire(FREE, "a", T0, 0).state();
        Instant last = T0.plus(LEASE).minusNanos(1);
        Step<Outcome> refused = LockMachine.acquire(held, request("b", Duration.ZERO), LEASE, last, 0);
        assertThat(refused.answer()).isEqualTo(new Outcome.Busy("owner a", Duration.ofNanos(1)));
        assertThat(refused.state()).isSameAs(held);
        assertThat(acquire(held, "b", T0.plus(LEASE), 0).answer()).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void anExpiredTokenDoesNothing() {
        LockState held = acquire(FREE, "a", T0, 0).state();
        Instant late = T0.plus(LEASE);
        assertThat(LockMachine.renew(held, 42, LEASE, late, 0).answer()).isEqualTo(new Renewed.NotHeld());
        assertThat(LockMachine.release(held, 42, late, 0).answer()).isEqualTo(Released.NOT_HELD);
        assertThat(LockMachine.evict(held, 42, late, 0).answer()).isEmpty();
        assertThat(LockMachine.renew(held, 42, LEASE, late, 0).state()).isEqualTo(LockState.free("stock", 42));
    }

    @Test
    void aForeignTokenDoesNothing() {
        LockState held = acquire(FREE, "a", T0, 0).state();
        for (long foreign : new long[] {10, 41, 43, 73, 74, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(LockMachine.release(held, foreign, T0, 0).state()).isSameAs(held);
            assertThat(LockMachine.renew(held, foreign, LEASE, T0, 0).answer()).isEqualTo(new Renewed.NotHeld());
        }
        for (long foreign : new long[] {10, 41, 74, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(held.view(T0).isHeldUnder(foreign)).isFalse();
            assertThat(LockMachine.evict(held, foreign, T0, 0).answer()).isEmpty();
        }
    }

    @Test
    void anyTokenOfTheHoldersBlockIsValidAndMayBeEvicted() {
        LockState held = acquire(FREE, "a", T0, 0).state();
        for (long token = 42; token < 42 + LockMachine.TOKEN_STRIDE; token++) {
            assertThat(held.view(T0).isHeldUnder(token)).isTrue();
            assertThat(LockMachine.evict(held, token, T0, 0).answer()).contains(74L);
        }
    }

    @Test
    void aReleaseHandsTheLockToTheHeadForAClaim() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b", "c");
        Instant later = T0.plusSeconds(3);
        Step<Released> step = LockMachine.release(held, 42, later, 0);
        assertThat(step.answer()).isEqualTo(Released.HANDED_OVER);
        assertThat(step.grants())
                .containsExactly(
                        new Grant("stock", "b", "session b", 74, Duration.ofSeconds(3), LockMachine.CLAIM_LEASE));
        assertThat(step.state().holder().orElseThrow().expiresAt()).isEqualTo(later.plus(LockMachine.CLAIM_LEASE));
        assertThat(step.state().queue()).extracting(LockState.Waiter::requestId).containsExactly("c");
    }

    @Test
    void aShortLeaseIsNotStretchedByTheClaim() {
        Duration brief = Duration.ofMillis(500);
        LockState held = acquire(FREE, "a", T0, 0).state();
        LockState queued =
                LockMachine.acquire(held, request("b", WAIT), brief, T0, 0).state();
        assertThat(LockMachine.release(queued, 42, T0, 0).grants().get(0).lease())
                .isEqualTo(brief);
    }

    @Test
    void anExpiredHolderMakesWayForTheHeadBeforeANewcomer() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b");
        Step<Outcome> step = LockMachine.acquire(held, request("n", Duration.ZERO), LEASE, T0.plus(LEASE), 0);
        assertThat(step.answer()).isInstanceOf(Outcome.Busy.class);
        assertThat(step.grants()).extracting(Grant::requestId).containsExactly("b");
    }

    @Test
    void aWaiterPastItsDeadlineIsPassedOver() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b");
        LockState renewed =
                LockMachine.renew(held, 42, Duration.ofHours(1), T0, 0).state();
        Step<Released> step = LockMachine.release(renewed, 42, T0.plus(WAIT), 0);
        assertThat(step.answer()).isEqualTo(Released.FREED);
        assertThat(step.grants()).isEmpty();
    }

    @Test
    void aCancelInTheMomentOfExpiryDoesNotGrantToTheOneWhoLeaves() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b", "c");
        Step<Cancelled> step = LockMachine.cancel(held, "b", T0.plus(LEASE), 0);
        assertThat(step.answer()).isEqualTo(new Cancelled.Gone());
        assertThat(step.grants()).extracting(Grant::requestId).containsExactly("c");
    }

    @Test
    void aLateCancelAnswersWithTheToken() {
        LockState handed = LockMachine.release(queueOf(acquire(FREE, "a", T0, 0).state(), "b"), 42, T0, 0)
                .state();
        assertThat(LockMachine.cancel(handed, "b", T0.plusSeconds(1), 0).answer())
                .isEqualTo(new Cancelled.WasGranted(74, LockMachine.CLAIM_LEASE.minusSeconds(1)));
    }

    @Test
    void anEvictionLeavesAFloorBetweenTheOldTokenAndTheNext() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b");
        Step<Optional<Long>> step = LockMachine.evict(held, 42, T0, 0);
        assertThat(step.answer()).contains(74L);
        assertThat(step.grants()).extracting(Grant::token).containsExactly(106L);
    }

    @Test
    void aRecheckTimeCoversTheClaimsOfThoseAhead() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b", "c");
        assertThat(acquire(held, "d", T0, 0).answer())
                .isEqualTo(new Outcome.Queued(2, LEASE.plus(LockMachine.CLAIM_LEASE.multipliedBy(2))));
    }

    @Test
    void aSessionThatLeavesGivesUpEverything() {
        LockState held = queueOf(acquire(FREE, "a", T0, 0).state(), "b", "c");
        Step<Boolean> waiterLeft = LockMachine.leave(held, "session b", false, T0, 0);
        assertThat(waiterLeft.state().queue())
                .extracting(LockState.Waiter::requestId)
                .containsExactly("c");
        Step<Boolean> holderLeft = LockMachine.leave(waiterLeft.state(), "session a", false, T0, 0);
        assertThat(holderLeft.grants()).extracting(Grant::requestId).containsExactly("c");
    }

    private static LockState queueOf(LockState held, String... requestIds) {
        LockState state = held;
        for (String id : requestIds) {
            state = acquire(state, id, T0, 0).state();
        }
        return state;
    }

    private static Step<Outcome> acquire(LockState state, String id, Instant now, long seed) {
        return LockMachine.acquire(state, request(id, WAIT), LEASE, now, seed);
    }

    private static Acquire request(String id, Duration wait) {
        return new Acquire("stock", "session " + id, id, "owner " + id, Optional.of(LEASE), wait);
    }

    private static Outcome.Granted granted(Step<Outcome> step) {
        assertThat(step.answer()).isInstanceOf(Outcome.Granted.class);
        return (Outcome.Granted) step.answer();
    }
}
