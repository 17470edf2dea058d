package dev.tenon.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMachine.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the modes beside the exclusive one, conversions, lock-delays and revocations do, one transition at a time. */
class LockModesTest {
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofMinutes(10);
    private static final LockState FREE = LockState.free("stock", 0);
    private static final long FIRST = LockMachine.TOKEN_STRIDE;
    private static final long SECOND = 2 * FIRST;
    private static final long THIRD = 3 * FIRST;
    private static final Terms SHARED = Terms.of(LockMode.SHARED);
    private static final Terms UPDATE = Terms.of(LockMode.UPDATE);

    @Test
    void permitsAreBounded() {
        for (int[] wrong : new int[][] {{0, 1}, {2, 1}, {-1, 1}, {1, LockMode.PERMITS_MAX + 1}}) {
            assertThatThrownBy(() -> LockMode.permits(wrong[0], wrong[1])).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new LockMode(LockMode.Kind.SHARED, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aHoldThatIsReplacedLastsAtLeastAsLongAsItWould() {
        LockState held = hold(hold(FREE, "u", UPDATE), "r", SHARED);
        LockState waiting = queue(held, "x", Terms.EXCLUSIVE.converting(FIRST));
        Instant later = T0.plusSeconds(10);
        Step<Released> handed = LockMachine.release(waiting, SECOND, later, 0);
        Duration left = Duration.ofSeconds(20);
        assertThat(handed.grants()).extracting(Grant::lease).containsExactly(left);
        assertThat(handed.state().holders())
                .extracting(LockState.Holder::expiresAt)
                .containsExactly(T0.plus(LEASE));

        Instant atLast = T0.plusSeconds(29);
        Step<Released> late = LockMachine.release(waiting, SECOND, atLast, 0);
        assertThat(late.grants()).extracting(Grant::lease).containsExactly(LockMachine.CLAIM_LEASE);
        assertThat(late.state().holders())
                .extracting(LockState.Holder::expiresAt)
                .containsExactly(atLast.plus(LockMachine.CLAIM_LEASE));
    }

    @Test
    void aShorterLeaseDoesNotShortenTheHoldThatIsReplaced() {
        LockState held = hold(FREE, "x", Terms.EXCLUSIVE);
        Acquire weaker = new Acquire(
                "stock",
                "x",
                "weaker",
                "x",
                Optional.of(Duration.ofSeconds(1)),
                Duration.ZERO,
                SHARED.converting(FIRST));
        Step<Outcome> step = LockMachine.acquire(held, weaker, Duration.ofSeconds(1), T0.plusSeconds(10), 0);
        assertThat(step.answer()).isEqualTo(new Outcome.Granted(SECOND, Duration.ofSeconds(20)));
    }

    @Test
    void readersHoldTogetherAndAWriterWaitsForAll() {
        LockState readers = hold(hold(FREE, "r1", SHARED), "r2", SHARED);
        LockState waiting = queue(readers, "w", Terms.EXCLUSIVE);
        assertThat(waiting.holders()).extracting(LockState.Holder::token).containsExactly(FIRST, SECOND);

        Step<Released> first = LockMachine.release(waiting, FIRST, T0, 0);
        assertThat(first.answer()).isEqualTo(Released.FREED);
        Step<Released> last = LockMachine.release(first.state(), SECOND, T0, 0);
        assertThat(last.answer()).isEqualTo(Released.HANDED_OVER);
        assertThat(last.grants()).extracting(Grant::requestId).containsExactly("w");
    }

    @Test
    void aReaderDoesNotOvertakeAWriterWhoWaits() {
        LockState waiting = queue(hold(FREE, "r1", SHARED), "w", Terms.EXCLUSIVE);
        assertThat(acquire(waiting, "r2", SHARED, Duration.ZERO).answer()).isInstanceOf(Outcome.Busy.class);
        assertThat(acquire(waiting, "r2", SHARED.barging(), Duration.ZERO).answer())
                .isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void readersAtTheHeadAreLetInTogetherUpToTheNextWriter() {
        LockState state = hold(FREE, "w1", Terms.EXCLUSIVE);
        state = queue(queue(queue(queue(state, "r1", SHARED), "r2", SHARED), "w2", Terms.EXCLUSIVE), "r3", SHARED);
        Step<Released> step = LockMachine.release(state, FIRST, T0, 0);
        assertThat(step.grants()).extracting(Grant::requestId).containsExactly("r1", "r2");
        assertThat(step.grants()).extracting(Grant::token).containsExactly(SECOND, THIRD);
        assertThat(step.state().queue()).extracting(LockState.Waiter::requestId).containsExactly("w2", "r3");
    }

    @Test
    void oneUpdateHolderReadsBesideReaders() {
        LockState state = hold(hold(FREE, "r1", SHARED), "u1", UPDATE);
        assertThat(acquire(state, "r2", SHARED, Duration.ZERO).answer()).isInstanceOf(Outcome.Granted.class);
        assertThat(acquire(state, "u2", UPDATE, Duration.ZERO).answer()).isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void anUpgradeWaitsForTheReadersAheadOfAllWhoWait() {
        LockState state = queue(hold(hold(FREE, "u", UPDATE), "r", SHARED), "w", Terms.EXCLUSIVE);
        Step<Outcome> asked = acquire(state, "up", Terms.EXCLUSIVE.converting(FIRST), WAIT);
        assertThat(asked.answer()).isEqualTo(new Outcome.Queued(0, LEASE));

        Step<Released> step = LockMachine.release(asked.state(), SECOND, T0, 0);
        assertThat(step.grants()).extracting(Grant::requestId).containsExactly("up");
        assertThat(step.state().holders()).singleElement().satisfies(h -> {
            assertThat(h.token()).isEqualTo(THIRD);
            assertThat(h.mode()).isEqualTo(LockMode.EXCLUSIVE);
        });
        assertThat(LockMachine.renew(step.state(), FIRST, LEASE, T0, 0).answer())
                .isEqualTo(new Renewed.NotHeld());
    }

    @Test
    void anUpgradeWithoutReadersIsGrantedAtOnce() {
        Step<Outcome> step = acquire(hold(FREE, "u", UPDATE), "up", Terms.EXCLUSIVE.converting(FIRST), Duration.ZERO);
        assertThat(step.answer()).isEqualTo(new Outcome.Granted(SECOND, LEASE));
        assertThat(step.state().holders()).hasSize(1);
    }

    @Test
    void whatIsNotHeldOrNotForUpdateIsNotConverted() {
        LockState readers = hold(hold(FREE, "r1", SHARED), "r2", SHARED);
        for (long token : new long[] {FIRST, 7}) {
            Step<Outcome> step = acquire(readers, "up", Terms.EXCLUSIVE.converting(token), WAIT);
            assertThat(step.answer()).isEqualTo(new Outcome.NotHeld());
            assertThat(step.state()).isSameAs(readers);
        }
    }

    @Test
    void anUpgradeWhoseHoldIsOverWaitsNoLonger() {
        LockState state = hold(hold(FREE, "r", SHARED), "u", UPDATE);
        LockState asked =
                acquire(state, "up", Terms.EXCLUSIVE.converting(SECOND), WAIT).state();
        LockState released = LockMachine.release(asked, SECOND, T0, 0).state();
        assertThat(released.queue()).isEmpty();
        assertThat(LockMachine.release(released, FIRST, T0, 0).grants()).isEmpty();
    }

    @Test
    void aDowngradeLetsReadersInAtOnce() {
        LockState state = queue(queue(hold(FREE, "w", Terms.EXCLUSIVE), "r1", SHARED), "r2", SHARED);
        Step<Outcome> step = acquire(state, "down", SHARED.converting(FIRST), Duration.ZERO);
        assertThat(step.answer()).isEqualTo(new Outcome.Granted(SECOND, LEASE));
        assertThat(step.grants()).extracting(Grant::requestId).containsExactly("r1", "r2");
        assertThat(step.state().holders()).hasSize(3);
    }

    @Test
    void permitsAreGivenOutUpToTheirNumber() {
        LockState state = hold(hold(FREE, "a", permits(2, 5)), "b", permits(2, 5));
        assertThat(acquire(state, "c", permits(2, 5), Duration.ZERO).answer()).isInstanceOf(Outcome.Busy.class);
        assertThat(acquire(state, "c", permits(1, 5), Duration.ZERO).answer()).isInstanceOf(Outcome.Granted.class);
        assertThat(acquire(state, "c", permits(2, 6), Duration.ZERO).answer())
                .as("one who knows of more permits")
                .isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aSmallWishDoesNotOvertakeALargeOne() {
        LockState state = queue(hold(FREE, "a", permits(2, 3)), "large", permits(3, 3));
        assertThat(acquire(state, "small", permits(1, 3), Duration.ZERO).answer())
                .isInstanceOf(Outcome.Busy.class);
        Step<Released> step = LockMachine.release(queue(state, "small", permits(1, 3)), FIRST, T0, 0);
        assertThat(step.grants()).extracting(Grant::requestId).containsExactly("large");
    }

    @Test
    void theModesOfASemaphoreAndOfALockShutEachOtherOut() {
        assertThat(acquire(hold(FREE, "a", permits(1, 3)), "r", SHARED, Duration.ZERO)
                        .answer())
                .isInstanceOf(Outcome.Busy.class);
        assertThat(acquire(hold(FREE, "r", SHARED), "a", permits(1, 3), Duration.ZERO)
                        .answer())
                .isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void aLockDelayFollowsAnExpiryAndNothingElse() {
        Terms delayed = Terms.EXCLUSIVE.withLockDelay(Duration.ofSeconds(10));
        LockState held = hold(FREE, "a", delayed);
        Instant over = T0.plus(LEASE);

        Step<Outcome> early = LockMachine.acquire(held, request("b", Terms.EXCLUSIVE, Duration.ZERO), LEASE, over, 0);
        assertThat(early.answer()).isEqualTo(new Outcome.Busy(Outcome.Busy.LOCK_DELAY, Duration.ofSeconds(10)));
        assertThat(early.state().isIdle()).isFalse();
        assertThat(early.state().deadline()).contains(over.plusSeconds(10));
        Step<Boolean> later = LockMachine.settle(early.state(), over.plusSeconds(10), 0);
        assertThat(later.state()).isEqualTo(LockState.free("stock", FIRST));

        LockState released = LockMachine.release(held, FIRST, T0, 0).state();
        assertThat(acquire(released, "b", Terms.EXCLUSIVE, Duration.ZERO).answer())
                .isInstanceOf(Outcome.Granted.class);
        assertThat(LockMachine.evict(held, FIRST, T0, 0).state().delayUntil()).isEmpty();
    }

    @Test
    void aWaiterGetsTheLockWhenTheLockDelayIsOver() {
        LockState held =
                queue(hold(FREE, "a", Terms.EXCLUSIVE.withLockDelay(Duration.ofSeconds(10))), "b", Terms.EXCLUSIVE);
        Step<Boolean> during = LockMachine.settle(held, T0.plus(LEASE).plusSeconds(9), 0);
        assertThat(during.grants()).isEmpty();
        assertThat(LockMachine.settle(during.state(), T0.plus(LEASE).plusSeconds(10), 0)
                        .grants())
                .extracting(Grant::requestId)
                .containsExactly("b");
    }

    @Test
    void aSessionThatRanOutLeavesALockDelayAndOneThatWasClosedDoesNot() {
        LockState held = hold(FREE, "a", Terms.EXCLUSIVE.withLockDelay(Duration.ofSeconds(10)));
        assertThat(LockMachine.leave(held, "session a", true, T0, 0).state().delayUntil())
                .contains(T0.plusSeconds(10));
        assertThat(LockMachine.leave(held, "session a", false, T0, 0).state().isIdle())
                .isTrue();
    }

    @Test
    void whoIsAskedToLetGoLearnsItAtTheNextRenewal() {
        LockState readers = hold(hold(FREE, "r1", SHARED), "r2", SHARED);
        Step<List<Revocation>> asked = LockMachine.revoke(readers, "operator", T0, 0);
        assertThat(asked.answer()).extracting(Revocation::token).containsExactly(FIRST, SECOND);
        assertThat(LockMachine.renew(asked.state(), SECOND, LEASE, T0, 0).answer())
                .isEqualTo(new Renewed.Extended(LEASE, Optional.of("operator")));
        assertThat(LockMachine.revoke(FREE, "operator", T0, 0).state()).isEqualTo(FREE);
    }

    private static Terms permits(int count, int max) {
        return Terms.of(LockMode.permits(count, max));
    }

    private static LockState hold(LockState state, String id, Terms terms) {
        Step<Outcome> step = acquire(state, id, terms, Duration.ZERO);
        assertThat(step.answer()).isInstanceOf(Outcome.Granted.class);
        return step.state();
    }

    private static LockState queue(LockState state, String id, Terms terms) {
        Step<Outcome> step = acquire(state, id, terms, WAIT);
        assertThat(step.answer()).isInstanceOf(Outcome.Queued.class);
        return step.state();
    }

    private static Step<Outcome> acquire(LockState state, String id, Terms terms, Duration wait) {
        return LockMachine.acquire(state, request(id, terms, wait), LEASE, T0, 0);
    }

    private static Acquire request(String id, Terms terms, Duration wait) {
        return new Acquire("stock", "session " + id, id, "owner " + id, Optional.of(LEASE), wait, terms);
    }
}
