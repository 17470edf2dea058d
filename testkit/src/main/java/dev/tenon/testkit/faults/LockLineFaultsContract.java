package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.RecordedEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * What becomes of locks, and what callers are told, when the line to the store is cut, silent, slow, or loses replies.
 */
abstract class LockLineFaultsContract extends LockProcessFaultsContract {
    private static final Duration MORE = LONG_LEASE.multipliedBy(3);
    private static final int CALLS = 300;
    private static final int FLOOD = 12_000;

    @Test
    void everyCallIsRepeatedAfterALostReplyWithoutASecondEffect() {
        RecordedEvents events = new RecordedEvents();
        String session = open(store(), events);
        Acquire acquire = request(name, session, Duration.ZERO);
        loseReply(() -> store().acquire(acquire), () -> seen(name).isPresent());
        Release held = granted(name, eventually(() -> store().acquire(acquire)));
        LockView view = seen(name).orElseThrow();
        assertThat(view.holders()).hasSize(1);
        assertThat(view.isHeldUnder(held.token())).isTrue();

        List<Renew> renewals = List.of(new Renew(name, held.token(), Optional.of(MORE)));
        loseReply(() -> store().renew(renewals), () -> leaseLeft().compareTo(LONG_LEASE) > 0);
        assertThat(eventually(() -> store().renew(renewals))).hasOnlyElementsOfType(Renewed.Extended.class);

        Acquire waiting = request(name, session, LONG_LEASE);
        loseReply(() -> store().acquire(waiting), () -> queue() == 1);
        assertThat(eventually(() -> store().acquire(waiting))).isInstanceOf(Outcome.Queued.class);
        assertThat(queue()).isEqualTo(1);
        Cancel cancel = new Cancel(name, waiting.requestId());
        loseReply(() -> store().cancel(cancel), () -> queue() == 0);
        assertThat(eventually(() -> store().cancel(cancel))).isInstanceOf(Cancelled.Gone.class);

        loseReply(() -> store().release(List.of(held)), () -> seen(name).isEmpty());
        assertThat(eventually(() -> store().release(List.of(held)))).containsExactly(Released.NOT_HELD);
        assertThat(events.grantOf(waiting.requestId())).isEmpty();
    }

    /**
     * The store does what it is asked, and nobody hears of it: that must not be called "nothing happened". Where a call
     * takes two round trips it gets no further than the first.
     */
    private void loseReply(Supplier<CompletionStage<?>> call, BooleanSupplier done) {
        line.dropReplies();
        CompletableFuture<?> lost = call.get().toCompletableFuture();
        soon().until(() -> done.getAsBoolean() || lost.isDone());
        line.cut();
        boolean happened = done.getAsBoolean();
        assertThat(lost.isDone() && !lost.isCompletedExceptionally())
                .as("an answer without a reply")
                .isFalse();
        line.heal();
        // No failure: it was sent again, unseen, when the line was back.
        Throwable failure = failureOf(lost);
        if (failure != null && happened) {
            assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void anErrorTellsWhetherSomethingMayHaveHappened() throws Exception {
        String session = open(store(), new RecordedEvents());
        Random random = new Random(11);
        Map<Acquire, CompletionStage<Outcome>> acquires = new LinkedHashMap<>();
        for (int i = 0; i < CALLS; i++) {
            Acquire acquire = request(name + i, session, Duration.ZERO);
            acquires.put(acquire, store().acquire(acquire));
            disturb(random, i);
        }
        line.heal();
        Map<Release, CompletionStage<List<Released>>> releases = new LinkedHashMap<>();
        AtomicInteger failed = new AtomicInteger();
        for (Map.Entry<Acquire, CompletionStage<Outcome>> call : acquires.entrySet()) {
            Throwable failure = failureOf(call.getValue());
            if (failure == null) {
                releases.put(
                        granted(call.getKey().name(), join(call.getValue())),
                        CompletableFuture.completedStage(List.of()));
            } else if (failure instanceof BackendUnavailableException) {
                failed.incrementAndGet();
                assertThat(seen(call.getKey().name()))
                        .as("%s after %s", call.getKey(), failure)
                        .isEmpty();
            } else {
                assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
                failed.incrementAndGet();
            }
        }
        int i = 0;
        for (Release release : List.copyOf(releases.keySet())) {
            assertThat(seen(release.name()).orElseThrow().isHeldUnder(release.token()))
                    .isTrue();
            releases.put(release, store().release(List.of(release)));
            disturb(random, i++);
        }
        line.heal();
        releases.forEach((release, call) -> {
            Throwable failure = failureOf(call);
            if (failure == null) {
                assertThat(join(call)).containsExactly(Released.FREED);
            } else {
                failed.incrementAndGet();
            }
            boolean unheard = failure instanceof BackendUnavailableException;
            if (failure == null || unheard) {
                assertThat(seen(release.name()).isPresent())
                        .as("%s after %s", release, failure)
                        .isEqualTo(unheard);
            } else {
                assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
            }
        });
        // A store that sends what can be repeated again by itself fails in its releases, whose answer would be another.
        assertThat(failed).as("failed calls").hasPositiveValue();
        // What nobody heard of goes with its session, or with its lease.
        eventually(() -> store().closeSession(session));
    }

    private void disturb(Random random, int i) {
        if (i % 20 == 10) {
            line.delay(Duration.ofMillis(random.nextInt(8)));
        } else if (i % 20 == 15) {
            line.cut();
        } else if (i % 100 == 50) {
            line.refuseNew();
            line.cut();
        } else if (i % 100 == 60) {
            line.acceptNew();
        } else if (i % 4 == 0) {
            join(CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS)));
        }
    }

    @Test
    void aWaiterWhoseLineIsCutAsItIsGrantedHearsOfItWhenTheLineIsBack() throws Exception {
        LockOptions forLong = LockOptions.DEFAULT.withLease(LONG_LEASE);
        Lease held = there.lock(name, forLong).acquire(PATIENCE);
        CompletableFuture<Lease> waiter =
                here.lock(name, forLong).acquireAsync(PATIENCE).toCompletableFuture();
        awaitQueueOf(1);
        line.refuseNew();
        line.cut();
        held.close();
        line.acceptNew();
        // Well before the holder's lease would have ended.
        try (Lease next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
    }

    @Test
    void aHolderWhoseLineIsSilentLosesItsLeaseByItsOwnClock() throws Exception {
        LockOptions options = LockOptions.DEFAULT.withLease(shortLease());
        Lease held = here.lock(name, options).acquire(PATIENCE);
        line.blackhole();
        Lease next = there.lock(name).acquire(PATIENCE);
        assertThat(held.state()).as("state by the time that another holds").isEqualTo(Lease.State.LOST);
        assertThat(next.token()).isGreaterThan(held.token());
        line.heal();
        held.close();
        assertThat(here.lock(name + "-other").tryAcquire(PATIENCE)).hasValueSatisfying(Lease::close);
        assertThat(there.validate(name, next.token())).isTrue();
        next.close();
    }

    @Test
    void aSlowLineCostsTimeAndNothingElse() throws Exception {
        line.delay(Duration.ofMillis(60));
        LockOptions options = LockOptions.DEFAULT.withLease(shortLease().multipliedBy(4));
        Punctual.judge(shortLease(), () -> there.inspect(name), () -> {
            name = "faults:" + UUID.randomUUID();
            Lease held = here.lock(name, options).acquire(PATIENCE);
            CompletableFuture<Lease> waiter =
                    there.lock(name).acquireAsync(PATIENCE).toCompletableFuture();
            Awaitility.await()
                    .during(options.lease().multipliedBy(3).dividedBy(2))
                    .atMost(PATIENCE)
                    .until(() -> there.validate(name, held.token()));
            assertThat(waiter).isNotDone();
            held.close();
            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        });
    }

    @Test
    void aFloodOfCallsOnASilentLineEndsInClearErrorsOrAnswersAndPasses() {
        String session = open(store(), new RecordedEvents());
        line.blackhole();
        List<CompletionStage<Outcome>> calls = new ArrayList<>();
        for (int i = 0; i < FLOOD; i++) {
            calls.add(store().acquire(request(name, session, Duration.ZERO)));
        }
        line.heal();
        long granted = 0;
        for (CompletionStage<Outcome> call : calls) {
            Throwable failure = failureOf(call);
            if (failure == null) {
                granted += join(call) instanceof Outcome.Granted ? 1 : 0;
            } else {
                assertThat(failure).isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
            }
        }
        assertThat(granted).isLessThanOrEqualTo(1);
        granted(name + "-after", eventually(() -> store().acquire(request(name + "-after", session, Duration.ZERO))));
        eventually(() -> store().closeSession(session));
    }

    private Duration leaseLeft() {
        return seen(name).orElseThrow().holder().orElseThrow().leaseLeft();
    }

    private int queue() {
        return seen(name).map(view -> view.queue().size()).orElse(0);
    }
}
