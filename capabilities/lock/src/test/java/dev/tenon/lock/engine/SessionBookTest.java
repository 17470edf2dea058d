package dev.tenon.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SessionBookTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration LATE = Duration.ofSeconds(3);
    private static final Release LOCK = new Release("lock", 7);

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
    private final SessionBook book = new SessionBook(clock, LATE);
    private final List<String> told = new ArrayList<>();

    private static Acquire request(String id) {
        return new Acquire("lock", "session", id, "owner", Optional.of(LEASE), LEASE);
    }

    private StoreEvents events(String name) {
        return new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                told.add(name + " granted " + grant.token());
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                told.add(name + " revoked by " + revocation.by());
            }

            @Override
            public void sessionLost(String sessionId) {
                told.add(name + " lost");
            }

            @Override
            public void resync() {
                told.add(name + " resync");
            }
        };
    }

    private void open(String name) {
        book.open(new SessionSpec("session", "owner", LEASE), events(name));
    }

    @Test
    void aHoldWhoseRenewalIsAnsweredAfterItsOldLeaseIsGivenBackWithItsSession() {
        book.holds(request("a"), 7, LEASE);
        clock.advance(LEASE.plus(LATE));
        book.runOnce();
        book.renewed(LOCK, new Renewed.Extended(LEASE.multipliedBy(100)));
        clock.advance(LEASE.multipliedBy(99));
        book.runOnce();
        assertThat(book.heldBy("session")).containsExactly(LOCK);
        assertThat(book.heldBy("other")).isEmpty();
    }

    @Test
    void whatIsOverIsForgottenWhenNoAnswerCanComeAnyMore() {
        book.holds(request("a"), 7, LEASE);
        book.waits(request("b"));
        clock.advance(LEASE.plus(LATE).plusNanos(1));
        book.runOnce();
        assertThat(book.heldBy("session")).isEmpty();
        assertThat(book.waitsOf("session")).containsExactly(new Cancel("lock", "b"));
        clock.advance(Duration.ofHours(1));
        book.runOnce();
        assertThat(book.waitsOf("session")).isEmpty();
        assertThat(book.size()).isZero();
    }

    @Test
    void aSessionIsToldOfEachGrantOnceByTheEventsThatItGaveLast() {
        open("first");
        open("second");
        book.waits(request("a"));
        Grant grant = new Grant("lock", "a", "session", 7, Duration.ZERO, LEASE);
        book.granted(grant);
        book.granted(grant);
        assertThat(told).containsExactly("second granted 7");
        assertThat(book.waiting()).isZero();
        book.granted(new Grant("lock", "x", "another process's", 8, Duration.ZERO, LEASE));
        assertThat(book.held("lock")).containsOnlyKeys(7L);
    }

    @Test
    void aPushedGrantHasTheTermsOfItsRequest() {
        open("session");
        Acquire.Terms shared = Acquire.Terms.of(LockMode.SHARED);
        book.waits(new Acquire("lock", "session", "a", "owner", Optional.of(LEASE), LEASE, shared));
        book.granted(new Grant("lock", "a", "session", 7, Duration.ZERO, LEASE));
        assertThat(book.hold(LOCK).orElseThrow().terms()).isEqualTo(shared);
        assertThat(book.hold(LOCK).orElseThrow().requestId()).isEqualTo("a");
    }

    @Test
    void aSessionThatWasClosedIsKnownUntilItHasLeftEachOfItsLocks() {
        open("session");
        book.holds(request("a"), 7, LEASE);
        book.waits(request("b"));
        assertThat(book.close("session")).containsExactly("lock");
        assertThat(book.isOpen("session")).isFalse();
        assertThat(book.all()).containsExactly("session");
        assertThat(book.close("session")).containsExactly("lock");
        book.left("session", "lock");
        assertThat(book.close("session")).isEmpty();
        assertThat(book.size()).isZero();
    }

    @Test
    void aConversionTakesThePlaceOfItsHold() {
        book.holds(request("a"), 7, LEASE);
        Acquire.Terms converting = Acquire.Terms.of(LockMode.SHARED).converting(7);
        book.holds(
                new Acquire("lock", "session", "b", "owner", Optional.of(LEASE), Duration.ZERO, converting), 9, LEASE);
        assertThat(book.held("lock")).containsOnlyKeys(9L);
    }

    @Test
    void severalHoldsOfOneLockEndOneByOne() {
        book.holds(request("a"), 7, LEASE);
        book.holds(request("b"), 8, LEASE);
        book.renewed(LOCK, new Renewed.Extended(LEASE, Optional.of("operator")));
        assertThat(book.hold(LOCK).orElseThrow().revokeAsked()).isTrue();
        book.holdsNoMore(LOCK);
        book.holdsNoMore(LOCK);
        assertThat(book.heldBy("session")).containsExactly(new Release("lock", 8));
        assertThat(book.holds("lock")).isTrue();
        book.holdsNoMore(new Release("lock", 8));
        assertThat(book.holds("lock")).isFalse();
    }
}
