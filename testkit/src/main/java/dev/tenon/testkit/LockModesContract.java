package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The part of {@link LockStoreContract} that is about modes, conversions, lock-delay and revocation. */
public abstract class LockModesContract extends LockQueueContract {
    private static final Terms SHARED = Terms.of(LockMode.SHARED);
    private static final Terms UPDATE = Terms.of(LockMode.UPDATE);

    @Test
    void readersHoldTogetherAndTheWriterAfterThem() {
        long first = hold(alice, SHARED);
        long second = granted(otherStore().acquire(request(bob, SHARED, Duration.ZERO)))
                .token();
        assertThat(second).isGreaterThan(first);
        Acquire writer = request(bob, Terms.EXCLUSIVE, WAIT);
        queued(otherStore().acquire(writer));
        assertThat(join(store().acquire(request(alice, SHARED, Duration.ZERO))))
                .as("a reader behind a writer who waits")
                .isInstanceOf(Outcome.Busy.class);
        assertThat(release(store(), first)).isEqualTo(Released.FREED);
        assertThat(release(otherStore(), second)).isEqualTo(Released.HANDED_OVER);
        assertThat(bobEvents.awaitGrantOf(writer.requestId(), PATIENCE).token()).isGreaterThan(second);
    }

    @Test
    void readersAtTheHeadOfTheQueueAreLetInTogether() {
        long writer = hold(alice, Terms.EXCLUSIVE);
        Acquire first = request(bob, SHARED, WAIT);
        Acquire second = request(alice, SHARED, WAIT);
        queued(otherStore().acquire(first));
        queued(store().acquire(second));
        assertThat(release(store(), writer)).isEqualTo(Released.HANDED_OVER);
        Grant toBob = bobEvents.awaitGrantOf(first.requestId(), PATIENCE);
        Grant toAlice = aliceEvents.awaitGrantOf(second.requestId(), PATIENCE);
        assertThat(toAlice.token()).isGreaterThan(toBob.token());
        assertThat(toBob.token()).isGreaterThan(writer);
        LockView view = join(store().inspect(name)).orElseThrow();
        assertThat(view.holders()).extracting(LockView.HolderView::mode).containsOnly(LockMode.SHARED);
        assertThat(view.isHeldUnder(toAlice.token()) && view.isHeldUnder(toBob.token()))
                .isTrue();
    }

    @Test
    void whoDoesNotMindTheOrderTakesWhatIsFree() {
        hold(alice, SHARED);
        queued(otherStore().acquire(request(bob, Terms.EXCLUSIVE, WAIT)));
        assertThat(join(store().acquire(request(alice, SHARED.barging(), Duration.ZERO))))
                .isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void anUpdateHolderBecomesTheWriterWhenTheReadersHaveLeft() {
        long reader = hold(alice, SHARED);
        long update = granted(otherStore().acquire(request(bob, UPDATE, Duration.ZERO)))
                .token();
        assertThat(join(store().acquire(request(alice, UPDATE, Duration.ZERO)))).isInstanceOf(Outcome.Busy.class);
        Acquire upgrade = request(bob, Terms.EXCLUSIVE.converting(update), WAIT);
        queued(otherStore().acquire(upgrade));
        assertThat(join(store().acquire(request(alice, SHARED, Duration.ZERO)))).isInstanceOf(Outcome.Busy.class);

        release(store(), reader);
        Grant grant = bobEvents.awaitGrantOf(upgrade.requestId(), PATIENCE);
        assertThat(grant.token()).isGreaterThan(update);
        assertThat(release(otherStore(), update)).isEqualTo(Released.NOT_HELD);
        assertThat(release(otherStore(), grant.token())).isEqualTo(Released.FREED);
    }

    /**
     * Its owner counts on the old hold until it hears of the new one: the word of that, and the answer, may be lost.
     */
    @Test
    void aHoldThatIsReplacedLastsAtLeastAsLongAsItWould() {
        long reader = hold(alice, SHARED);
        long update = granted(otherStore().acquire(request(bob, UPDATE, Duration.ZERO)))
                .token();
        Acquire upgrade = new Acquire(
                name, bob, nextRequest(), "bob", Optional.of(SHORT), WAIT, Terms.EXCLUSIVE.converting(update));
        queued(otherStore().acquire(upgrade));
        release(store(), reader);
        Grant grant = bobEvents.awaitGrantOf(upgrade.requestId(), PATIENCE);
        assertThat(grant.lease()).isGreaterThan(LockMachine.CLAIM_LEASE);
        assertThat(holder().token()).isEqualTo(grant.token());
        assertThat(holder().leaseLeft()).isGreaterThan(LockMachine.CLAIM_LEASE);

        Outcome.Granted weaker = granted(otherStore()
                .acquire(new Acquire(
                        name,
                        bob,
                        nextRequest(),
                        "bob",
                        Optional.of(SHORT),
                        Duration.ZERO,
                        SHARED.converting(grant.token()))));
        assertThat(weaker.lease()).isGreaterThan(LockMachine.CLAIM_LEASE);
        assertThat(holder().token()).isEqualTo(weaker.token());
        assertThat(holder().leaseLeft()).isGreaterThan(LockMachine.CLAIM_LEASE);
    }

    @Test
    void aWriterStepsDownAndLetsReadersIn() {
        long writer = hold(alice, Terms.EXCLUSIVE);
        Acquire reader = request(bob, SHARED, WAIT);
        queued(otherStore().acquire(reader));
        long shared = granted(store().acquire(request(alice, SHARED.converting(writer), Duration.ZERO)))
                .token();
        bobEvents.awaitGrantOf(reader.requestId(), PATIENCE);
        assertThat(join(store().inspect(name)).orElseThrow().holders()).hasSize(2);
        assertThat(release(store(), shared)).isEqualTo(Released.FREED);
    }

    @Test
    void onlyWhatIsHeldForItIsConverted() {
        long shared = hold(alice, SHARED);
        assertThat(join(store().acquire(request(alice, Terms.EXCLUSIVE.converting(shared), WAIT))))
                .isEqualTo(new Outcome.NotHeld());
        assertThat(join(store().acquire(request(alice, SHARED.converting(shared + 1), WAIT))))
                .isEqualTo(new Outcome.NotHeld());
    }

    @Test
    void permitsAreGivenOutUpToTheirNumber() {
        long two = hold(alice, Terms.of(LockMode.permits(2, 3)));
        Terms oneOfThree = Terms.of(LockMode.permits(1, 3));
        granted(otherStore().acquire(request(bob, oneOfThree, Duration.ZERO)));
        assertThat(join(store().acquire(request(alice, oneOfThree, Duration.ZERO))))
                .isInstanceOf(Outcome.Busy.class);
        Acquire waiting = request(bob, Terms.of(LockMode.permits(2, 3)), WAIT);
        queued(otherStore().acquire(waiting));
        assertThat(release(store(), two)).isEqualTo(Released.HANDED_OVER);
        bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
        assertThat(join(store().inspect(name)).orElseThrow().holders().stream()
                        .mapToInt(h -> h.mode().permits()))
                .containsExactly(1, 2);
    }

    @Test
    void onlyWhatExpiredLeavesALockDelay() {
        Terms delayed = Terms.EXCLUSIVE.withLockDelay(Duration.ofMillis(700));
        release(store(), hold(alice, delayed));
        long asked = System.nanoTime();
        long token = granted(store().acquire(new Acquire(
                        name, alice, nextRequest(), "a", Optional.of(SHORT), Duration.ZERO, delayed)))
                .token();
        Acquire waiting = request(bob, Terms.EXCLUSIVE, WAIT);
        long next = await().atMost(PATIENCE)
                .until(
                        () -> join(otherStore().acquire(waiting)) instanceof Outcome.Granted granted
                                ? granted.token()
                                : 0L,
                        granted -> granted > 0L);
        assertThat(next).isGreaterThan(token);
        assertThat(Duration.ofNanos(System.nanoTime() - asked))
                .as("lease and lock-delay")
                .isGreaterThan(SHORT.plusMillis(690));
    }

    @Test
    void whoHoldsLearnsThatTheLockIsWanted() {
        assertThat(join(store().revoke(name, "operator"))).isZero();
        long first = hold(alice, SHARED);
        long second = granted(otherStore().acquire(request(bob, SHARED, Duration.ZERO)))
                .token();
        assertThat(join(store().revoke(name, "operator"))).isEqualTo(2);
        for (long token : new long[] {first, second}) {
            List<Renewed> answers = join(store().renew(List.of(new Renew(name, token, Optional.of(LEASE)))));
            assertThat(answers).containsExactly(new Renewed.Extended(LEASE, Optional.of("operator")));
        }
        assertThat(join(store().inspect(name)).orElseThrow().holders())
                .extracting(LockView.HolderView::revokedBy)
                .containsOnly(Optional.of("operator"));
    }

    private long hold(String session, Terms terms) {
        return granted(store().acquire(request(session, terms, Duration.ZERO))).token();
    }

    private Acquire request(String session, Terms terms, Duration wait) {
        return new Acquire(name, session, nextRequest(), "owner of " + session, Optional.of(LEASE), wait, terms);
    }
}
