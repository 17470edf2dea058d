package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link LockStore} must do. A backend's test extends it and supplies the store; names are fresh in every
 * test, so that one store may serve them all.
 */
public abstract class LockStoreContract {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final AtomicLong REQUESTS = new AtomicLong();

    private final RecordedEvents aliceEvents = new RecordedEvents();
    private final RecordedEvents bobEvents = new RecordedEvents();
    private String alice = "";
    private String bob = "";
    private String name = "";

    /** The store under test, as one process has it. */
    protected abstract LockStore store();

    /** The same locks, as another process has them; the same store where there can be no other process. */
    protected LockStore otherStore() {
        return store();
    }

    @BeforeEach
    void openSessions() {
        alice = open(store(), aliceEvents);
        bob = open(otherStore(), bobEvents);
        name = "contract:" + UUID.randomUUID();
    }

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
    void aRepeatedRequestIsQueuedOnce() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        assertThat(queued(otherStore().acquire(waiting)).ahead()).isZero();
        assertThat(queued(otherStore().acquire(waiting)).ahead()).isZero();
        assertThat(join(store().inspect(name)).orElseThrow().queue()).hasSize(1);
        release(store(), token);
        Grant grant = bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
        assertThat(granted(otherStore().acquire(waiting)).token()).isEqualTo(grant.token());
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
    void aReleaseHandsTheLockToTheHeadOfTheQueueAndTellsOnlyIt() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire first = request(bob, LEASE, WAIT);
        Acquire second = request(alice, LEASE, WAIT);
        assertThat(queued(otherStore().acquire(first)).ahead()).isZero();
        assertThat(queued(store().acquire(second)).ahead()).isEqualTo(1);

        assertThat(release(store(), token)).isEqualTo(Released.HANDED_OVER);
        Grant grant = bobEvents.awaitGrantOf(first.requestId(), PATIENCE);
        assertThat(grant.name()).isEqualTo(name);
        assertThat(grant.sessionId()).isEqualTo(bob);
        assertThat(grant.token()).isGreaterThan(token);
        assertThat(grant.lease()).isPositive().isLessThanOrEqualTo(LockMachine.CLAIM_LEASE);
        assertThat(grant.sinceQueued()).isBetween(Duration.ZERO, PATIENCE);
        assertThat(aliceEvents.grants()).isEmpty();

        assertThat(release(otherStore(), grant.token())).isEqualTo(Released.HANDED_OVER);
        Grant last = aliceEvents.awaitGrantOf(second.requestId(), PATIENCE);
        assertThat(last.token()).isGreaterThan(grant.token());
        assertThat(release(store(), last.token())).isEqualTo(Released.FREED);
    }

    @Test
    void nobodyOvertakesTheQueue() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        release(store(), token);
        assertThat(join(store().acquire(request(alice, LEASE, Duration.ZERO)))).isInstanceOf(Outcome.Busy.class);
        bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
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
    void aWaiterGetsTheLockOfAnExpiredHolder() {
        granted(store().acquire(request(alice, SHORT, Duration.ZERO)));
        Acquire waiting = request(bob, LEASE, WAIT);
        Outcome.Queued queued = queued(otherStore().acquire(waiting));
        assertThat(queued.recheckAfter()).isLessThanOrEqualTo(SHORT.plusSeconds(1));
        // Either the store tells by itself, or repeating the request after recheckAfter does.
        await().pollDelay(SHORT)
                .atMost(PATIENCE)
                .until(() -> bobEvents.grantOf(waiting.requestId()).isPresent()
                        || join(otherStore().acquire(waiting)) instanceof Outcome.Granted);
    }

    @Test
    void aRenewalExtendsTheLease() {
        long token =
                granted(store().acquire(request(alice, SHORT, Duration.ZERO))).token();
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
    void anUnclaimedGrantPassesOn() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire first = request(bob, SHORT, WAIT);
        Acquire second = request(alice, LEASE, WAIT);
        queued(otherStore().acquire(first));
        queued(store().acquire(second));
        release(store(), token);
        Grant grant = bobEvents.awaitGrantOf(first.requestId(), PATIENCE);
        await().pollDelay(SHORT)
                .atMost(PATIENCE)
                .until(() -> aliceEvents.grantOf(second.requestId()).isPresent()
                        || join(store().acquire(second)) instanceof Outcome.Granted);
        assertThat(holder().token()).isGreaterThan(grant.token());
    }

    @Test
    void aCancelledWaiterIsPassedOver() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire first = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(first));
        assertThat(join(otherStore().cancel(new Cancel(name, first.requestId()))))
                .isEqualTo(new Cancelled.Gone());
        assertThat(join(otherStore().cancel(new Cancel(name, first.requestId()))))
                .isEqualTo(new Cancelled.Gone());
        assertThat(release(store(), token)).isEqualTo(Released.FREED);
        assertThat(bobEvents.grants()).isEmpty();
    }

    @Test
    void aLateCancelTellsOfTheGrant() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        release(store(), token);
        Grant grant = bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE);
        assertThat(join(otherStore().cancel(new Cancel(name, waiting.requestId()))))
                .isInstanceOfSatisfying(Cancelled.WasGranted.class, g -> {
                    assertThat(g.token()).isEqualTo(grant.token());
                    assertThat(g.lease()).isPositive();
                });
        assertThat(release(otherStore(), grant.token())).isEqualTo(Released.FREED);
    }

    @Test
    void aWaiterWhoseTimeIsOverIsPassedOver() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        queued(otherStore().acquire(request(bob, LEASE, SHORT)));
        await().atMost(PATIENCE)
                .until(() -> join(store().inspect(name)).orElseThrow().queue().isEmpty());
        assertThat(release(store(), token)).isEqualTo(Released.FREED);
        assertThat(bobEvents.grants()).isEmpty();
    }

    @Test
    void tokensStrictlyIncrease() {
        long last = 0;
        for (int i = 0; i < 50; i++) {
            long token = granted(store().acquire(request(alice, LEASE, Duration.ZERO)))
                    .token();
            assertThat(token).isGreaterThan(last);
            last = token;
            release(store(), token);
        }
    }

    @Test
    void anEvictionTakesTheLockAwayAndRaisesTheToken() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        assertThat(join(otherStore().evict(name, token + 1, "wrong token"))).isEmpty();
        long floor = join(otherStore().evict(name, token, "stuck")).orElseThrow();
        assertThat(floor).isGreaterThan(token);
        assertThat(join(store().inspect(name))).isEmpty();
        assertThat(release(store(), token)).isEqualTo(Released.NOT_HELD);
        assertThat(granted(otherStore().acquire(request(bob, LEASE, Duration.ZERO)))
                        .token())
                .isGreaterThan(floor);
        assertThat(join(otherStore().evict(name + "-unknown", 1, "nothing there")))
                .isEmpty();
    }

    @Test
    void anEvictionHandsTheLockOn() {
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        Acquire waiting = request(bob, LEASE, WAIT);
        queued(otherStore().acquire(waiting));
        long floor = join(store().evict(name, token, "stuck")).orElseThrow();
        assertThat(bobEvents.awaitGrantOf(waiting.requestId(), PATIENCE).token())
                .isGreaterThan(floor);
    }

    @Test
    void anInspectionShowsHolderAndQueue() {
        assertThat(join(store().inspect(name))).isEmpty();
        long token =
                granted(store().acquire(request(alice, LEASE, Duration.ZERO))).token();
        queued(otherStore().acquire(request(bob, LEASE, WAIT)));
        LockView view = join(store().inspect(name)).orElseThrow();
        assertThat(view.name()).isEqualTo(name);
        assertThat(view.token()).isEqualTo(token);
        assertThat(view.isHeldUnder(token)).isTrue();
        assertThat(view.isHeldUnder(token + 1)).isFalse();
        LockView.HolderView holder = view.holder().orElseThrow();
        assertThat(holder.sessionId()).isEqualTo(alice);
        assertThat(holder.owner()).isEqualTo("owner of " + alice);
        assertThat(holder.leaseLeft()).isBetween(LEASE.minusSeconds(5), LEASE);
        assertThat(view.queue()).singleElement().satisfies(w -> {
            assertThat(w.sessionId()).isEqualTo(bob);
            assertThat(w.owner()).isEqualTo("owner of " + bob);
            assertThat(w.waitLeft()).isBetween(WAIT.minusSeconds(5), WAIT);
            assertThat(w.since()).isAfterOrEqualTo(holder.since());
        });
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
    void aSessionThatIsNotKeptAliveEndsWhereTheStoreSaysSo() {
        if (!store().traits().sessionsExpire()) {
            assertThat(join(store().keepAlive(alice))).isTrue();
            assertThatThrownBy(() -> join(store().acquire(
                                    new Acquire(name, alice, nextRequest(), "owner", Optional.empty(), Duration.ZERO))))
                    .hasMessageContaining("lease");
            return;
        }
        RecordedEvents events = new RecordedEvents();
        String brief = UUID.randomUUID().toString();
        join(store().open(new SessionSpec(brief, "owner of " + brief, SHORT), events));
        granted(store().acquire(
                        new Acquire(name, brief, nextRequest(), "owner of " + brief, Optional.empty(), Duration.ZERO)));
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
    void manyThreadsAreNeverInTheCriticalSectionTogether() throws Exception {
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        AtomicLong inside = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                boolean odd = t % 2 == 1;
                runs.add(threads.submit(() -> {
                    for (int i = 0; i < 10; i++) {
                        LockStore store = odd ? otherStore() : store();
                        RecordedEvents events = odd ? bobEvents : aliceEvents;
                        Acquire request = request(odd ? bob : alice, LEASE, WAIT);
                        Outcome outcome = join(store.acquire(request));
                        long token = outcome instanceof Outcome.Granted granted
                                ? granted.token()
                                : events.awaitGrantOf(request.requestId(), PATIENCE)
                                        .token();
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        assertThat(tokens.add(token)).isTrue();
                        inside.decrementAndGet();
                        assertThat(release(store, token)).isNotEqualTo(Released.NOT_HELD);
                    }
                }));
            }
            for (Future<?> run : runs) {
                run.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(tokens).hasSize(80);
        assertThat(join(store().inspect(name))).isEmpty();
    }

    @Test
    void randomScriptsHaveTheAnswersOfTheMachine() {
        for (long seed = 1; seed <= 5; seed++) {
            new LockScript(seed, List.of(store(), otherStore())).run(100);
        }
    }

    private long acquireWhenFree(LockStore store, String session) {
        return await().atMost(PATIENCE)
                                .until(
                                        () -> join(store.acquire(request(session, LEASE, Duration.ZERO))),
                                        Outcome.Granted.class::isInstance)
                        instanceof Outcome.Granted granted
                ? granted.token()
                : 0;
    }

    private LockView.HolderView holder() {
        return join(store().inspect(name)).orElseThrow().holder().orElseThrow();
    }

    private Released release(LockStore store, long token) {
        return join(store.release(List.of(new Release(name, token)))).get(0);
    }

    private Acquire request(String session, Duration lease, Duration wait) {
        return request(name, session, lease, wait);
    }

    private static Acquire request(String name, String session, Duration lease, Duration wait) {
        return new Acquire(name, session, nextRequest(), "owner of " + session, Optional.of(lease), wait);
    }

    private static String nextRequest() {
        return "request-" + UUID.randomUUID() + "-" + REQUESTS.incrementAndGet();
    }

    private static String open(LockStore store, RecordedEvents events) {
        String id = UUID.randomUUID().toString();
        return join(store.open(spec(id), events)).id();
    }

    private static SessionSpec spec(String id) {
        return new SessionSpec(id, "owner of " + id, Duration.ofMinutes(5));
    }

    private static Outcome.Granted granted(CompletionStage<Outcome> stage) {
        Outcome outcome = join(stage);
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return (Outcome.Granted) outcome;
    }

    private static Outcome.Queued queued(CompletionStage<Outcome> stage) {
        Outcome outcome = join(stage);
        assertThat(outcome).isInstanceOf(Outcome.Queued.class);
        return (Outcome.Queued) outcome;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
