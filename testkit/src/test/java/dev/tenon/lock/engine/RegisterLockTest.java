package dev.tenon.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Races, lost replies, time and death, on registers in memory and with a clock that a test moves. */
class RegisterLockTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration WAIT = Duration.ofMinutes(10);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Terms SHARED = Terms.of(LockMode.SHARED);

    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final MemoryRegisters registers = new MemoryRegisters(true);
    private final EngineProcess ann = new EngineProcess(registers, clock, "ann");
    private final EngineProcess bob = new EngineProcess(registers, clock, "bob");

    @Test
    void aFreeLockIsTakenAndGivenBackInOneRoundTripEachAndNothingIsLeft() {
        for (int i = 0; i < 3; i++) {
            long token = ann.take("a", LEASE);
            assertThat(ann.roundTrips()).isEqualTo(1);
            assertThat(ann.release("a", token)).isEqualTo(Released.FREED);
            assertThat(ann.roundTrips()).isEqualTo(1);
            assertThat(registers.size()).isZero();
        }
    }

    @Test
    void tokensRiseThroughRemovalEvictionAndHandOver() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            tokens.add(ann.take("a", LEASE));
            ann.release("a", tokens.get(tokens.size() - 1));
            long held = bob.take("a", LEASE);
            tokens.add(held);
            Acquire waiting = ann.request("a", LEASE, WAIT, SHARED);
            Acquire beside = bob.request("a", LEASE, WAIT, SHARED);
            ann.ask(waiting);
            bob.ask(beside);
            bob.release("a", held);
            tokens.add(ann.grants.remove(0).token());
            tokens.add(bob.grants.remove(0).token());
            long floor = EngineProcess.join(ann.locks.evict("a", tokens.get(tokens.size() - 1), "test"))
                    .orElseThrow();
            tokens.add(floor);
            assertThat(ann.release("a", tokens.get(tokens.size() - 3))).isEqualTo(Released.FREED);
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aHandOverIsOneRoundTripHoweverManyWait() {
        long token = ann.take("a", LEASE);
        List<EngineProcess> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            EngineProcess waiter = new EngineProcess(registers, clock, "waiter " + i);
            assertThat(waiter.ask(waiter.request("a", LEASE, WAIT, Terms.EXCLUSIVE)))
                    .isEqualTo(new Outcome.Queued(i, LEASE.plusSeconds(5L * i)));
            waiters.add(waiter);
        }
        ann.roundTrips();
        assertThat(ann.release("a", token)).isEqualTo(Released.HANDED_OVER);
        assertThat(ann.roundTrips()).isEqualTo(1);
        for (int i = 0; i < 19; i++) {
            EngineProcess next = waiters.get(i);
            next.roundTrips();
            assertThat(next.release("a", next.grants.get(0).token())).isEqualTo(Released.HANDED_OVER);
            assertThat(next.roundTrips()).isEqualTo(1);
            assertThat(waiters.get(i + 1).grants).hasSize(1);
        }
    }

    @Test
    void otherModesTakeTwoRoundTripsBesideOthers() {
        ann.ask(ann.request("a", LEASE, WAIT, SHARED));
        EngineProcess eve = new EngineProcess(registers, clock, "eve");
        eve.ask(eve.request("a", LEASE, WAIT, SHARED));
        bob.roundTrips();
        long token = ((Outcome.Granted) bob.ask(bob.request("a", LEASE, WAIT, SHARED))).token();
        assertThat(bob.roundTrips()).isEqualTo(2);
        eve.ask(eve.request("a", LEASE, WAIT, SHARED)); // too many hold for each to be told
        assertThat(bob.release("a", token)).isEqualTo(Released.FREED);
        assertThat(bob.roundTrips()).isEqualTo(2);
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
        assertThat(bob.roundTrips()).as("and one question who is there").isEqualTo(2);
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
        assertThat(bob.roundTrips()).isEqualTo(1);
    }

    @Test
    void whoIsNotToldTheStateLooksInTheBackgroundAndHandsOverInOneRoundTripAllTheSame() {
        MemoryRegisters silent = new MemoryRegisters(false);
        EngineProcess one = new EngineProcess(silent, clock, "one");
        EngineProcess two = new EngineProcess(silent, clock, "two");
        long token = one.take("a", LEASE);
        two.ask(two.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        assertThat(one.roundTrips()).as("acquire, and a look").isEqualTo(2);
        assertThat(one.release("a", token)).isEqualTo(Released.HANDED_OVER);
        assertThat(one.roundTrips()).isEqualTo(1);
        assertThat(two.release("a", two.grants.get(0).token())).isEqualTo(Released.FREED);
        assertThat(silent.size()).isZero();
    }

    @Test
    void manyReadersAreLetInByWritesThatEachTellFew() {
        long token = ann.take("a", LEASE);
        EngineProcess reader = new EngineProcess(registers, clock, "reader");
        for (int i = 0; i < 450; i++) {
            reader.ask(reader.request("a", LEASE, WAIT, SHARED));
        }
        bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        ann.roundTrips();
        assertThat(ann.release("a", token)).isEqualTo(Released.HANDED_OVER);
        assertThat(ann.store.noticesMax).hasValueLessThanOrEqualTo(100);
        assertThat(ann.roundTrips()).isEqualTo(5);
        assertThat(reader.grants)
                .hasSize(450)
                .extracting(Grant::token)
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(bob.grants).isEmpty();
        LockView now = EngineProcess.join(bob.locks.inspect("a")).orElseThrow();
        assertThat(now.holders()).hasSize(450);
        assertThat(now.queue()).hasSize(1);
        reader.grants.forEach(grant -> reader.release("a", grant.token()));
        assertThat(bob.grants).hasSize(1);
    }

    @Test
    void readersThatWereNotLetInYetComeInWithTheNextWriteOfAnybody() {
        long token = ann.take("a", LEASE);
        for (int i = 0; i < 250; i++) {
            bob.ask(bob.request("a", LEASE, WAIT, SHARED));
        }
        AtomicInteger writes = new AtomicInteger();
        ann.store.fate = () -> writes.incrementAndGet() > 1 ? 2 : 0;
        assertThat(ann.release("a", token))
                .as("done, whatever comes of the rest")
                .isEqualTo(Released.HANDED_OVER);
        assertThat(bob.grants).hasSize(100);
        LockView left = EngineProcess.join(bob.locks.inspect("a")).orElseThrow();
        assertThat(left.holders()).hasSize(250);
        assertThat(bob.grants).hasSize(250);
    }

    @Test
    void whoLosesTheRaceForAFreeLockIsTold() {
        ann.store.beforeWrite.set(() -> bob.take("a", LEASE));
        assertThat(ann.tryFor("a", LEASE)).isEqualTo(new Outcome.Busy("bob", LEASE));
        ann.store.beforeWrite.set(() -> bob.take("b", LEASE));
        assertThat(ann.ask(ann.request("b", LEASE, WAIT, Terms.EXCLUSIVE))).isInstanceOf(Outcome.Queued.class);
    }

    @Test
    void aReleaseThatLosesARaceHandsOverToWhoWon() {
        long token = ann.take("a", LEASE);
        ann.store.beforeWrite.set(() -> bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE)));
        assertThat(ann.release("a", token)).isEqualTo(Released.HANDED_OVER);
        assertThat(bob.grants).hasSize(1);
        assertThat(ann.release("a", token)).isEqualTo(Released.NOT_HELD);
    }

    @Test
    void anAnswerThatChangesNothingIsNeverFromMemory() {
        long token = ann.take("a", LEASE);
        assertThat(EngineProcess.join(bob.locks.evict("a", token, "test"))).isPresent();
        assertThat(ann.renew("a", token, LEASE)).isEqualTo(new Renewed.NotHeld());
        assertThat(ann.release("a", token)).isEqualTo(Released.NOT_HELD);
        assertThat(ann.tryFor("a", LEASE)).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aRequestWhoseReplyWasLostFindsItsGrantAgain() {
        Acquire request = ann.request("a", LEASE, WAIT, Terms.EXCLUSIVE);
        ann.store.fate = () -> 1;
        assertThatThrownBy(() -> ann.ask(request)).hasCauseInstanceOf(OutcomeUnknownException.class);
        ann.store.fate = () -> 0;
        Outcome.Granted granted = (Outcome.Granted) ann.ask(request);
        assertThat(EngineProcess.join(ann.locks.inspect("a")).orElseThrow().holders())
                .extracting(LockView.HolderView::token)
                .containsExactly(granted.token());
        assertThat(ann.release("a", granted.token())).isEqualTo(Released.FREED);
    }

    @Test
    void aGrantThatIsFoundAgainLastsForAllAsLongAsItsHolderIsTold() {
        Acquire request = ann.request("a", LEASE, WAIT, Terms.EXCLUSIVE);
        ann.store.fate = () -> 1;
        assertThatThrownBy(() -> ann.ask(request)).hasCauseInstanceOf(OutcomeUnknownException.class);
        ann.store.fate = () -> 0;
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
        clock.advance(SECOND.multipliedBy(6));
        Duration left = ((Outcome.Granted) ann.ask(request)).lease();
        clock.advance(left.minusMillis(1));
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void aGrantThatACancellationFindsLastsForAllAsLongAsItsHolderIsTold() {
        Acquire request = ann.request("a", LEASE, WAIT, Terms.EXCLUSIVE);
        ann.store.fate = () -> 1;
        assertThatThrownBy(() -> ann.ask(request)).hasCauseInstanceOf(OutcomeUnknownException.class);
        ann.store.fate = () -> 0;
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
        clock.advance(SECOND.multipliedBy(6));
        Cancelled.WasGranted granted =
                (Cancelled.WasGranted) EngineProcess.join(ann.locks.cancel(new Cancel("a", request.requestId())));
        clock.advance(granted.lease().minusMillis(1));
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void aReleaseWhoseReplyWasLostHasHandedOverAndSaysSoToThoseWhoWaitHere() {
        long token = ann.take("a", LEASE);
        Acquire waiting = ann.request("a", LEASE, WAIT, Terms.EXCLUSIVE);
        assertThat(ann.ask(waiting)).isInstanceOf(Outcome.Queued.class);
        ann.store.fate = () -> 1;
        assertThatThrownBy(() -> ann.release("a", token)).hasCauseInstanceOf(OutcomeUnknownException.class);
        ann.store.fate = () -> 0;
        assertThat(ann.resyncs).hasValue(1);
        assertThat(ann.ask(waiting)).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aWriteThatWasNotDoneIsUnavailableAndLeavesNothing() {
        ann.store.fate = () -> 2;
        assertThatThrownBy(() -> ann.take("a", LEASE))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(BackendUnavailableException.class);
        assertThat(registers.size()).isZero();
    }

    @Test
    void severalReleasesAndRenewalsAreOneWriteAndOneThatWasOvertakenDoesNotSpoilTheOthers() {
        List<Release> releases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            releases.add(new Release("n" + i, ann.take("n" + i, LEASE)));
        }
        EngineProcess.join(bob.locks.evict("n7", releases.get(7).token(), "test"));
        ann.roundTrips();
        List<Released> answers = EngineProcess.join(ann.locks.release(releases));
        assertThat(ann.roundTrips())
                .as("one write that fails, one that does it")
                .isEqualTo(2);
        assertThat(answers.remove(7)).isEqualTo(Released.NOT_HELD);
        assertThat(answers).hasSize(49).containsOnly(Released.FREED);
        assertThat(registers.size()).isZero();
    }

    @Test
    void allOrNothingTakesOneWrite() {
        List<Acquire> three = List.of(
                ann.request("a", LEASE, WAIT, Terms.EXCLUSIVE),
                ann.request("b", LEASE, WAIT, Terms.EXCLUSIVE),
                ann.request("c", LEASE, WAIT, Terms.EXCLUSIVE));
        long token = bob.take("b", LEASE);
        assertThat(EngineProcess.join(ann.locks.acquireAll(three))).containsExactly(new Outcome.Busy("bob", LEASE));
        assertThat(registers.size()).isEqualTo(1);
        bob.release("b", token);
        ann.roundTrips();
        assertThat(EngineProcess.join(ann.locks.acquireAll(three)))
                .hasSize(3)
                .allMatch(Outcome.Granted.class::isInstance);
        assertThat(ann.roundTrips()).isEqualTo(1);
    }

    @Test
    void aLeaseEndsForAnObserverWhenItHasSeenItUnrenewedForAllItsTimeAndWallClocksDecideNothing() {
        ann.take("a", LEASE);
        clock.advance(SECOND.multipliedBy(9));
        assertThat(bob.tryFor("a", LEASE)).as("seen for the first time").isEqualTo(new Outcome.Busy("ann", LEASE));
        clock.setWall(Instant.parse("2036-01-01T00:00:00Z"));
        clock.advance(SECOND.multipliedBy(9));
        assertThat(bob.tryFor("a", LEASE)).isEqualTo(new Outcome.Busy("ann", SECOND));
        clock.advance(SECOND);
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Granted.class);
    }

    /** A waiter's time is over for its own process first: all others have counted it from later on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoseWaitIsOverIsHandedNothingByOneWhoSawItLater(boolean closes) {
        EngineProcess eve = new EngineProcess(registers, new ManualClock(clock.now()), "eve");
        long token = eve.take("a", LEASE);
        Acquire waiting = ann.request("a", LEASE, SECOND, Terms.EXCLUSIVE);
        assertThat(ann.ask(waiting)).isInstanceOf(Outcome.Queued.class);
        clock.advance(SECOND.plusMillis(1));
        if (closes) {
            EngineProcess.join(ann.locks.closeSession("ann"));
        } else {
            assertThat(EngineProcess.join(ann.locks.cancel(new Cancel("a", waiting.requestId()))))
                    .isInstanceOf(Cancelled.Gone.class);
        }
        assertThat(eve.release("a", token)).isEqualTo(Released.FREED);
        assertThat(ann.grants).isEmpty();
        assertThat(registers.size()).isZero();
    }

    @Test
    void aHolderThatRenewsIsNeverTakenForOneThatDoesNot() {
        long token = ann.take("a", LEASE);
        for (int i = 0; i < 10; i++) {
            assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
            clock.advance(SECOND.multipliedBy(9));
            assertThat(ann.renew("a", token, LEASE)).isEqualTo(new Renewed.Extended(LEASE));
        }
    }

    @Test
    void othersThatRenewInTurnDoNotKeepTheLeaseOfOneAliveThatDoesNot() {
        EngineProcess eve = new EngineProcess(registers, clock, "eve");
        ann.ask(ann.request("a", LEASE, Duration.ZERO, SHARED));
        long first = ((Outcome.Granted) bob.ask(bob.request("a", LEASE, Duration.ZERO, SHARED))).token();
        long second = ((Outcome.Granted) eve.ask(eve.request("a", LEASE, Duration.ZERO, SHARED))).token();
        // Each sees every text late, so that no text is ever seen for long.
        for (int i = 0; i < 6; i++) {
            clock.advance(SECOND);
            bob.renew("a", first, LEASE);
            clock.advance(SECOND);
            eve.renew("a", second, LEASE);
        }
        assertThat(EngineProcess.join(eve.locks.inspect("a")).orElseThrow().holders())
                .extracting(LockView.HolderView::owner)
                .containsExactly("bob", "eve");
    }

    @Test
    void whatADeadProcessHeldPassesOnAtOnce() {
        ann.take("a", LEASE);
        bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        registers.end(ann.store.id);
        assertThat(bob.grants).hasSize(1);
    }

    @Test
    void wordOfAnEndThatComesWhenTheProcessIsBackTakesNothingFromIt() {
        long token = ann.take("a", LEASE);
        bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        registers.tellGone(ann.store.id);
        assertThat(bob.grants).isEmpty();
        assertThat(ann.renew("a", token, LEASE)).isEqualTo(new Renewed.Extended(LEASE));
    }

    @Test
    void aProcessThatComesBackWhileItIsFoundGoneKeepsWhatItHasTakenSince() {
        Duration lease = SECOND.multipliedBy(30);
        long token = ann.take("a", lease);
        bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        clock.advance(RegisterLockStore.PRESENCE.dividedBy(4));
        bob.store.beforeWrite.set(() -> {
            ann.locks.runOnce();
            ann.renew("a", token, lease);
        });
        registers.end(ann.store.id);
        assertThat(bob.grants).isEmpty();
        assertThat(ann.renew("a", token, lease)).isEqualTo(new Renewed.Extended(lease));
    }

    @Test
    void aGrantToAProcessThatDiesBeforeItClaimsItEndsWithItsClaim() {
        long token = ann.take("a", LEASE);
        bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        ann.release("a", token);
        registers.end(bob.store.id);
        assertThat(ann.tryFor("a", LEASE))
                .as("ann could not know how long bob was sure of itself")
                .isInstanceOf(Outcome.Busy.class);
        clock.advance(LockMachine.CLAIM_LEASE);
        assertThat(ann.tryFor("a", LEASE)).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aFreshProcessTakesTheLockOfADeadOneAtItsFirstTry() {
        ann.take("a", LEASE);
        registers.end(ann.store.id);
        EngineProcess fresh = new EngineProcess(registers, clock, "fresh");
        assertThat(fresh.tryFor("a", LEASE)).isInstanceOf(Outcome.Granted.class);
        assertThat(fresh.ask(fresh.request("b", LEASE, WAIT, Terms.EXCLUSIVE))).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aLeaseThatOutlastsThePresenceOfItsProcessIsNotOverBeforeItEnds() {
        Duration hour = Duration.ofHours(1);
        long token = ann.take("a", hour);
        registers.end(ann.store.id); // for others; ann itself was stopped and believes in its lease
        assertThat(bob.tryFor("a", LEASE)).isEqualTo(new Outcome.Busy("ann", hour));
        assertThat(ann.renew("a", token, hour)).isEqualTo(new Renewed.Extended(hour));
    }

    @Test
    void aProcessThatWasGoneComesBackAndSaysSo() {
        registers.end(ann.store.id);
        clock.advance(RegisterLockStore.PRESENCE.dividedBy(4));
        ann.locks.runOnce();
        assertThat(ann.resyncs).hasValue(1);
        long token = ann.take("a", LEASE);
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
        assertThat(ann.release("a", token)).isEqualTo(Released.FREED);
    }

    @Test
    void withoutPresenceNoLeaseIsCovered() {
        ann.store.away = true;
        clock.advance(RegisterLockStore.PRESENCE.minus(LEASE).plus(SECOND));
        assertThatThrownBy(ann.locks::runOnce).isInstanceOf(BackendUnavailableException.class);
        ann.take("a", LEASE);
        registers.end(ann.store.id);
        assertThat(bob.tryFor("a", LEASE)).isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void oneWhoHasComeUpFromFarBehindFindsOutThatTheHolderHangs() {
        long token = ann.take("a", LEASE);
        EngineProcess eve = new EngineProcess(registers, clock, "eve");
        eve.ask(eve.request("a", LEASE, WAIT, Terms.EXCLUSIVE));
        bob.ask(bob.request("a", LEASE, WAIT, Terms.EXCLUSIVE)); // asks again in 15 s
        ann.release("a", token);
        eve.renew("a", eve.grants.get(0).token(), LEASE.minus(SECOND));
        clock.advance(LEASE.plus(SECOND));
        bob.locks.runOnce(); // sees eve hold for the first time
        clock.advance(LEASE.minus(SECOND).minusMillis(1));
        bob.locks.runOnce();
        assertThat(bob.grants).isEmpty();
        clock.advance(Duration.ofMillis(1));
        bob.locks.runOnce();
        assertThat(bob.grants).hasSize(1);
        bob.roundTrips();
        bob.locks.runOnce();
        assertThat(bob.roundTrips()).as("nothing more to look for").isZero();
    }

    @Test
    void whatTheDeadLeaveBehindIsRemoved() {
        for (int i = 0; i < 250; i++) {
            ann.take("n" + i, LEASE);
        }
        bob.take("kept", WAIT);
        registers.end(ann.store.id);
        clock.advance(Duration.ofSeconds(31));
        bob.locks.runOnce();
        assertThat(registers.size()).isEqualTo(1);
    }

    @Test
    void whatItsHolderForgotIsRemovedWhenItHasBeenSeenForLongEnough() {
        ann.take("a", LEASE);
        for (int i = 0; i < 2; i++) {
            clock.advance(Duration.ofSeconds(31));
            bob.locks.runOnce();
        }
        assertThat(registers.size()).isZero();
    }

    @Test
    void whatIsLeftAmongMoreRegistersThanAreRememberedIsRemovedInTheEnd() {
        Duration uncovered = RegisterLockStore.PRESENCE.plus(SECOND);
        for (int i = 0; i < 11_000; i++) {
            ann.take("n" + i, uncovered);
        }
        spoil("n5");
        registers.end(ann.store.id);
        for (int i = 0; i < 12; i++) {
            clock.advance(Duration.ofSeconds(31));
            bob.locks.runOnce();
        }
        assertThat(registers.size()).as("what is not Tenon's").isEqualTo(1);
    }

    @Test
    void aQueueThatGrowsTooLongTakesNoMoreAndStillMoves() {
        long token = ann.take("a", LEASE);
        String words = "字".repeat(Names.LENGTH_MAX);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1000; i++) {
                        String request = i + words.substring(4);
                        bob.ask(new Acquire("a", "bob", request, words, Optional.of(LEASE), WAIT));
                    }
                })
                .hasCauseInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("as many waiters as it may have");
        assertThat(ann.release("a", token)).isEqualTo(Released.HANDED_OVER);
    }

    @Test
    void whoeverIsAskedToLetGoHearsOfItInWhateverProcess() {
        ann.take("a", LEASE);
        assertThat(EngineProcess.join(bob.locks.revoke("a", "o p%20"))).isEqualTo(1);
        assertThat(ann.revocations).singleElement().satisfies(r -> {
            assertThat(r.by()).isEqualTo("o p%20");
            assertThat(r.sessionId()).isEqualTo("ann");
        });
    }

    @Test
    void aClosedProcessGivesBackAllAndIsGone() {
        ann.take("a", LEASE);
        bob.take("b", LEASE);
        ann.ask(ann.request("b", LEASE, WAIT, Terms.EXCLUSIVE));
        ann.locks.close();
        assertThat(registers.find("a")).isEmpty();
        assertThat(EngineProcess.join(bob.locks.inspect("b")).orElseThrow().queue())
                .isEmpty();
        assertThatThrownBy(() -> EngineProcess.join(ann.locks.inspect("b")))
                .hasCauseInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aSessionWhoseCloseFailedMidwayIsClosedByARepetition() {
        ann.take("a", LEASE);
        ann.take("b", LEASE);
        bob.take("c", LEASE);
        ann.ask(ann.request("c", LEASE, WAIT, Terms.EXCLUSIVE));
        AtomicInteger writes = new AtomicInteger();
        ann.store.fate = () -> writes.incrementAndGet() == 2 ? 2 : 0;
        assertThatThrownBy(() -> EngineProcess.join(ann.locks.closeSession("ann")))
                .hasCauseInstanceOf(BackendUnavailableException.class);
        assertThat(registers.find("a")).isEmpty();
        assertThat(registers.find("b")).isPresent();
        EngineProcess.join(ann.locks.closeSession("ann"));
        assertThat(registers.find("b")).isEmpty();
        assertThat(EngineProcess.join(bob.locks.inspect("c")).orElseThrow().queue())
                .isEmpty();
        ann.roundTrips();
        EngineProcess.join(ann.locks.closeSession("ann"));
        assertThat(ann.roundTrips()).as("nothing left to give up").isZero();
    }

    @Test
    void aSessionIsClosedRoundARegisterThatCannotBeRead() {
        for (String name : List.of("a", "b", "c")) {
            ann.take(name, LEASE);
        }
        spoil("b");
        assertThatThrownBy(() -> EngineProcess.join(ann.locks.closeSession("ann")))
                .hasMessageContaining("hello");
        assertThat(registers.size()).as("only the other one's").isEqualTo(1);
    }

    @Test
    void aRegisterThatCannotBeReadDoesNotSpoilTheRenewalsAndReleasesOfOthers() {
        List<Renew> renewals = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            renewals.add(new Renew("n" + i, ann.take("n" + i, LEASE), Optional.of(LEASE)));
        }
        spoil("n7");
        spoil("n8");
        clock.advance(SECOND);
        List<Renewed> renewed = EngineProcess.join(ann.locks.renew(renewals));
        assertThat(renewed).hasSize(50);
        for (int i = 0; i < 50; i++) {
            Renewed expected = i == 7 || i == 8 ? new Renewed.NotHeld() : new Renewed.Extended(LEASE);
            assertThat(renewed.get(i)).isEqualTo(expected);
        }
        List<Release> releases =
                renewals.stream().map(r -> new Release(r.name(), r.token())).toList();
        List<Released> released = EngineProcess.join(ann.locks.release(releases));
        assertThat(released).filteredOn(Released.FREED::equals).hasSize(48);
        assertThat(released.get(7)).isEqualTo(Released.NOT_HELD);
        assertThatThrownBy(() -> EngineProcess.join(ann.locks.renew(renewals.subList(7, 9))))
                .as("nothing of it was done")
                .hasMessageContaining("hello");
        List<Renew> others = List.of(
                new Renew("m1", ann.take("m1", LEASE), Optional.of(LEASE)),
                new Renew("m2", ann.take("m2", LEASE), Optional.of(LEASE)));
        clock.advance(SECOND);
        ann.store.fate = () -> 2;
        assertThatThrownBy(() -> EngineProcess.join(ann.locks.renew(others)))
                .as("a store that can't be asked says nothing of holds")
                .hasCauseInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aRegisterThatIsNotTenonsIsSaid() {
        bob.store.write(List.of(new RegisterStore.Change(Register.absent("a"), Optional.of("hello"))), List.of());
        assertThatThrownBy(() -> ann.take("a", LEASE)).hasMessageContaining("hello");
        assertThatThrownBy(() -> EngineProcess.join(ann.locks.cancel(new Cancel("a", "r"))))
                .hasMessageContaining("hello");
    }

    private void spoil(String name) {
        Register register = registers.find(name).orElseThrow();
        bob.store.write(List.of(new RegisterStore.Change(register, Optional.of("hello"))), List.of());
    }
}
