package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What every {@link LockStore} must do. A backend's test extends it and supplies the store; names are fresh in every
 * test, so that one store may serve them all.
 */
public abstract class LockStoreContract extends LockModesContract {
    @Test
    void aFreeLockIsGrantedWithItsFullLease() {
        Outcome.Granted granted = granted(store().acquire(request(alice, LEASE, Duration.ZERO)));
        assertThat(granted.token()).isPositive();
        assertThat(granted.lease()).isBetween(LEASE.minusSeconds(2), LEASE);
    }

    @Test
    void aHeldLockIsBusyForOneWhoDoesNotWait() {
        granted(store().acquire(request(alice, LEASE, Duration.ZERO)));
        Outcome outcome = join(otherStore().acquire(request(bob, LEASE, Duration.ZERO)));
        assertThat(outcome).isInstanceOf(Outcome.Busy.class);
        assertThat(((Outcome.Busy) outcome).owner()).isEqualTo("owner of " + alice);
        assertThat(((Outcome.Busy) outcome).leaseLeft()).isBetween(LEASE.minusSeconds(5), LEASE);
    }

    @Test
    void theSameSessionIsNotReentrant() {
        granted(store().acquire(request(alice, LEASE, Duration.ZERO)));
        assertThat(join(store().acquire(request(alice, LEASE, Duration.ZERO)))).isInstanceOf(Outcome.Busy.class);
    }

    @Test
    void aRepeatedRequestGetsTheSameGrant() {
        Acquire request = request(alice, LEASE, Duration.ZERO);
        long token = granted(store().acquire(request)).token();
        assertThat(granted(store().acquire(request)).token()).isEqualTo(token);
        assertThat(release(store(), token)).isEqualTo(Released.FREED);
        assertThat(join(store().inspect(name))).isEmpty();
    }

    @Test
    void aReleaseCanBeRepeatedAndHasOneEffect() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        assertThat(release(store(), token)).isEqualTo(Released.FREED);
        assertThat(release(store(), token)).isEqualTo(Released.NOT_HELD);
        long next = granted(otherStore().acquire(request(bob, LEASE, Duration.ZERO)))
                .token();
        assertThat(release(store(), token)).isEqualTo(Released.NOT_HELD);
        assertThat(holder().token()).isEqualTo(next);
    }

    @Test
    void aReleaseWithAWrongTokenChangesNothing() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        assertThat(release(store(), token + 1)).isEqualTo(Released.NOT_HELD);
        assertThat(release(store(), token - 1)).isEqualTo(Released.NOT_HELD);
        assertThat(holder().token()).isEqualTo(token);
    }

    @Test
    void anExpiredHolderLosesTheLockAndCanDoNothingMore() {
        long old =
                granted(store().acquire(request(alice, SHORT, Duration.ZERO))).token();
        long token = acquireWhenFree(otherStore(), bob);
        assertThat(token).isGreaterThan(old);
        assertThat(release(store(), old)).isEqualTo(Released.NOT_HELD);
        assertThat(join(store().renew(List.of(new Renew(name, old, Optional.of(LEASE))))))
                .containsExactly(new Renewed.NotHeld());
        assertThat(join(store().inspect(name)).orElseThrow().isHeldUnder(old)).isFalse();
        assertThat(holder().token()).isEqualTo(token);
    }

    @Test
    void anExpiredHolderCannotRenewEvenIfNobodyElseCame() {
        long old =
                granted(store().acquire(request(alice, SHORT, Duration.ZERO))).token();
        await().atMost(PATIENCE).until(() -> join(store().inspect(name)).isEmpty());
        assertThat(join(store().renew(List.of(new Renew(name, old, Optional.of(LEASE))))))
                .containsExactly(new Renewed.NotHeld());
        assertThat(granted(store().acquire(request(alice, LEASE, Duration.ZERO)))
                        .token())
                .isGreaterThan(old);
    }

    @Test
    void aRenewalExtendsTheLease() {
        Duration brief = LEASE.dividedBy(2);
        long token =
                granted(store().acquire(request(alice, brief, Duration.ZERO))).token();
        assertThat(join(store().renew(List.of(new Renew(name, token, Optional.of(LEASE))))))
                .singleElement()
                .isInstanceOfSatisfying(
                        Renewed.Extended.class, e -> assertThat(e.lease()).isBetween(LEASE.minusSeconds(2), LEASE));
        assertThat(holder().leaseLeft()).isGreaterThan(LEASE.minusSeconds(5));
    }

    @Test
    void renewalsAreAnsweredInTheirOrder() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        List<Renewed> answers = join(store().renew(List.of(
                new Renew(name + "-other", 7, Optional.of(LEASE)),
                new Renew(name, token, Optional.of(LEASE)),
                new Renew(name, token + 1, Optional.of(LEASE)))));
        assertThat(answers).hasSize(3);
        assertThat(answers.get(0)).isInstanceOf(Renewed.NotHeld.class);
        assertThat(answers.get(1)).isInstanceOf(Renewed.Extended.class);
        assertThat(answers.get(2)).isInstanceOf(Renewed.NotHeld.class);
    }

    @Test
    void eachGrantReservesABlockOfTokens() {
        long last = 0;
        for (int i = 0; i < 50; i++) {
            long token = granted(store().acquire(request(alice, LEASE, Duration.ZERO)))
                    .token();
            assertThat(token).isGreaterThanOrEqualTo(last + LockMachine.TOKEN_STRIDE);
            last = token;
            release(store(), token);
        }
    }

    @Test
    void anEvictionTakesTheLockAwayAndRaisesTheToken() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        long after = token + LockMachine.TOKEN_STRIDE;
        assertThat(join(otherStore().evict(name, token - 1, "wrong token"))).isEmpty();
        assertThat(join(otherStore().evict(name, after, "wrong token"))).isEmpty();
        long floor = join(otherStore().evict(name, after - 1, "a thread of the holder"))
                .orElseThrow();
        assertThat(floor).isGreaterThanOrEqualTo(after);
        assertThat(join(store().inspect(name))).isEmpty();
        assertThat(release(store(), token)).isEqualTo(Released.NOT_HELD);
        assertThat(granted(otherStore().acquire(request(bob, LEASE, Duration.ZERO)))
                        .token())
                .isGreaterThan(floor);
        assertThat(join(otherStore().evict(name + "-unknown", 1, "nothing there")))
                .isEmpty();
    }

    @Test
    void aListingHasEveryHeldLockOfThePrefixInOrder() {
        List<String> names = new ArrayList<>();
        for (String suffix : List.of("/b", "/a", "/ä", "/a%_b", "/c'\"\\", "/Z", "/😀", "/\uffee")) {
            names.add(name + suffix);
            granted(store().acquire(request(name + suffix, alice, LEASE, Duration.ZERO)));
        }
        granted(store().acquire(request(name + "0", alice, LEASE, Duration.ZERO)));
        List<String> listed = new ArrayList<>();
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            LockPage page = join(store().list(name + "/", after.get(), 3));
            assertThat(page.locks()).hasSizeLessThanOrEqualTo(3);
            page.locks().forEach(v -> listed.add(v.name()));
            after = page.next();
        }
        names.sort(dev.tenon.Names.ORDER);
        assertThat(listed).containsExactlyElementsOf(names);
    }

    @Test
    void namesOfEveryKindAreKeptApart() {
        String longName = name + "x".repeat(dev.tenon.Names.LENGTH_MAX - name.length());
        List<String> names =
                List.of(name, name + " ", name + "A", name + "a", name + "é", name + "e\u0301", name + "{x}", longName);
        for (String each : names) {
            granted(store().acquire(request(each, alice, LEASE, Duration.ZERO)));
        }
        for (String each : names) {
            assertThat(join(store().inspect(each)).orElseThrow().name()).isEqualTo(each);
        }
    }

    @Test
    void aClosedSessionGivesUpWhatItHeldAndWaitedFor() {
        granted(store().acquire(request(alice, LEASE, Duration.ZERO)));
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        join(store().closeSession(alice));
        Grant grant = bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
        Acquire behind = request(open(store(), new RecordedEvents()), LEASE, WAIT);
        queued(store().acquire(behind));
        join(store().closeSession(behind.sessionId()));
        assertThat(release(otherStore(), grant.token())).isEqualTo(Released.FREED);
    }

    @Test
    void openingASessionAgainKeepsWhatItHolds() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        join(store().open(spec(alice), aliceEvents));
        assertThat(holder().token()).isEqualTo(token);
        assertThat(join(store().keepAlive(alice))).isTrue();
    }

    @Test
    void aSessionThatIsNotKeptAliveEndsWhereTheStoreSaysSo() throws Exception {
        if (!store().traits().sessionsExpire()) {
            assertThat(join(store().keepAlive(alice))).isTrue();
            assertThatThrownBy(() -> join(store().acquire(
                                    new Acquire(name, alice, nextRequest(), "owner", Optional.empty(), Duration.ZERO))))
                    .hasMessageContaining("lease");
            return;
        }
        RecordedEvents events = new RecordedEvents();
        whileCallsAreInTime(() -> {
            join(store().open(new SessionSpec("of " + name, "owner of " + name, SHORT), events));
            granted(store().acquire(new Acquire(
                    name, "of " + name, nextRequest(), "owner of " + name, Optional.empty(), Duration.ZERO)));
        });
        String brief = "of " + name;
        await().atMost(PATIENCE).until(() -> events.lostSessions().contains(brief));
        assertThat(join(store().inspect(name))).isEmpty();
        assertThat(join(store().keepAlive(brief))).isFalse();
        assertThat(join(store().acquire(request(brief, LEASE, Duration.ZERO)))).isEqualTo(new Outcome.NoSession());
    }

    @Test
    void requestsThatCanNeverSucceedAreRefused() {
        for (Duration lease : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(400))) {
            assertThatThrownBy(() -> request(alice, lease, WAIT)).isInstanceOf(IllegalArgumentException.class);
        }
        for (Duration wait : List.of(Duration.ofMillis(-1), Duration.ofDays(400))) {
            assertThatThrownBy(() -> request(alice, LEASE, wait)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String bad : List.of("", "x".repeat(201), "a\nb", "\u0000", "\ud800")) {
            assertThatThrownBy(() -> request(bad, alice, LEASE, WAIT)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void randomScriptsHaveTheAnswersOfTheMachine() {
        new LockScripts(List.of(store(), otherStore())).run(1, 4, 150);
    }

    /** Behind a load balancer the one who ends a session need not be the one who opened it, or where it is waited. */
    @Test
    void aStoreThatKeepsSessionsTellsOfOneThatIsClosedElsewhere() {
        if (!store().traits().sessionsExpire()) {
            return; // a session is closed in the process that has it
        }
        granted(store().acquire(request(alice, LEASE, Duration.ZERO)));
        queued(otherStore().acquire(request(bob, LEASE, WAIT)));
        join(store().closeSession(bob));
        await().atMost(PATIENCE).until(() -> bobEvents.closedSessions().contains(bob));
        assertThat(bobEvents.lostSessions()).isEmpty();
        assertThat(aliceEvents.closedSessions()).isEmpty();
        assertThat(join(store().inspect(name)).orElseThrow().queue()).isEmpty();
        assertThat(join(otherStore().keepAlive(bob))).isFalse();
    }
}
