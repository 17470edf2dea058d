package dev.tenon.server.locks;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.Wait;
import dev.tenon.lock.engine.WaitState;
import dev.tenon.lock.engine.WaitTimers;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.server.locks.AcquireAnswer.Held;
import dev.tenon.server.locks.AcquireAnswer.HeldBy;
import dev.tenon.server.locks.AcquireAnswer.Refused;
import dev.tenon.server.locks.AcquireAnswer.SessionGone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One acquire request on its way through the store, and every client call that asks for it: a call that is repeated
 * with the same request ID joins. When the last caller has gone away, the request is withdrawn, and a lock that it got
 * is given back.
 *
 * <p>Thread-safe.
 */
final class LockWait {
    private final List<CompletableFuture<AcquireAnswer>> callers = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final WaitTimers timers;
    private final Wait wait = new Wait(this::entered);
    private final Acquire request;
    private final boolean elsewhere;
    private final LockStore store;
    private final TimeSource time;
    private final Consumer<LockWait> onEnd;
    private final long startNanos;

    /**
     * What a request needs on its way.
     *
     * @param scheduler runs what is due later; nothing of it blocks
     */
    record Means(LockStore store, ScheduledExecutorService scheduler, TimeSource time) {}

    /**
     * @param elsewhere whether the same request may be asked at another node too, and may have been answered there:
     *     then nothing that it got is given back from here, nor is its place
     * @param onEnd told when this is over, before anybody else is
     */
    LockWait(Acquire request, boolean elsewhere, Means means, Consumer<LockWait> onEnd) {
        this.request = request;
        this.elsewhere = elsewhere;
        this.store = means.store();
        this.timers = new WaitTimers(means.scheduler());
        this.time = means.time();
        this.onEnd = onEnd;
        this.startNanos = time.nanoTime();
    }

    /** Whether {@code other} is this request, repeated: it may wait for another time, and differ in nothing else. */
    boolean isFor(Acquire other) {
        return request.sessionId().equals(other.sessionId())
                && request.lease().equals(other.lease())
                && request.terms().equals(other.terms());
    }

    Acquire request() {
        return request;
    }

    /** Completes when this request is over, one way or the other. */
    CompletableFuture<Void> done() {
        return done;
    }

    /** Adds a caller; empty if the request is about to end, so that it has to be made anew. */
    Optional<CompletableFuture<AcquireAnswer>> join() {
        CompletableFuture<AcquireAnswer> caller = new CompletableFuture<>();
        AtomicBoolean joined = new AtomicBoolean();
        wait.decide(() -> {
            joined.set(wait.state() != WaitState.CANCELLING && !wait.state().isOver() && callers.add(caller));
            return Wait.nothing();
        });
        return joined.get() ? Optional.of(caller) : Optional.empty();
    }

    /** Removes a caller that does not listen any more. */
    void leave(CompletableFuture<AcquireAnswer> caller) {
        wait.decide(() -> {
            callers.remove(caller);
            return callers.isEmpty() && wait.state() == WaitState.QUEUED ? giveUp() : Wait.nothing();
        });
    }

    /** Sends the request to the store for the first time. */
    void start() {
        wait.decide(() -> wait.state().isOver() ? Wait.nothing() : ask());
    }

    /** {@link dev.tenon.lock.spi.StoreEvents#granted}. */
    void granted(Grant grant) {
        // While giving up, the answer to the cancellation says the same; while claiming or done, this is a repetition.
        wait.decide(() -> wait.state() == WaitState.ASKING || wait.state() == WaitState.QUEUED
                ? claim(grant.token())
                : Wait.nothing());
    }

    /** {@link dev.tenon.lock.spi.StoreEvents#resync}. */
    void resync() {
        wait.decide(() -> wait.state() == WaitState.QUEUED ? ask() : Wait.nothing());
    }

    /** Takes the request out of the queue for good, whoever asks. */
    void withdraw() {
        if (wait.state() != WaitState.QUEUED) {
            return;
        }
        Wait.called(() -> store.cancel(new Cancel(request.name(), request.requestId())))
                .thenAccept(answer -> {
                    if (answer instanceof Cancelled.WasGranted granted) {
                        Wait.called(() -> store.release(List.of(new Release(request.name(), granted.token()))));
                    }
                });
    }

    /** Ends this without a word to the store. */
    void end(AcquireAnswer answer) {
        wait.decide(() -> settle(answer));
    }

    private Duration left() {
        return request.waitTime().minusNanos(time.nanoTime() - startNanos);
    }

    private Runnable ask() {
        wait.enter(WaitState.ASKING);
        Duration left = left();
        Duration waitTime = left.isNegative() ? Duration.ZERO : left;
        // An entry that reaches the log late, when its caller has been to another node and is done, must not hold for
        // long; so what may be asked there is always claimed.
        Acquire shy = elsewhere && wantsMoreThan(LockMachine.CLAIM_LEASE)
                ? request.withLease(LockMachine.CLAIM_LEASE)
                : request;
        Acquire asked = shy.withWait(request.mayWait() ? waitTime : Duration.ZERO);
        return () -> Wait.called(() -> store.acquire(asked))
                .whenComplete((outcome, failure) -> wait.decide(() -> {
                    if (wait.state() != WaitState.ASKING) {
                        return Wait.nothing(); // the push of the grant was faster than the answer
                    }
                    return failure == null ? answered(outcome) : fail(failure);
                }));
    }

    private Runnable answered(Outcome outcome) {
        if (outcome instanceof Outcome.Granted granted) {
            return isUnclaimed(granted) ? claim(granted.token()) : held(granted.token(), granted.lease());
        }
        if (outcome instanceof Outcome.Queued queued) {
            return queued(queued);
        }
        if (outcome instanceof Outcome.Busy busy) {
            return settle(new Refused(Optional.of(new HeldBy(busy.owner(), busy.leaseLeft()))));
        }
        return settle(outcome instanceof Outcome.NoSession ? new SessionGone() : new Refused(Optional.empty()));
    }

    /**
     * Whether this may be the short lease with which a store hands a lock to a waiter, or what was left of the hold it
     * had.
     */
    private boolean isUnclaimed(Outcome.Granted granted) {
        return wantsMoreThan(granted.lease())
                && (granted.lease().compareTo(LockMachine.CLAIM_LEASE) <= 0
                        || request.terms().converts().isPresent());
    }

    private boolean wantsMoreThan(Duration lease) {
        return request.lease().map(l -> l.compareTo(lease) > 0).orElse(true);
    }

    private Runnable queued(Outcome.Queued queued) {
        Duration left = left();
        if (callers.isEmpty() || left.isNegative() || left.isZero()) {
            return giveUp();
        }
        wait.enter(WaitState.QUEUED);
        timers.timeoutAfter(left, this::timedOut);
        if (queued.recheckAfter().compareTo(left) < 0) {
            timers.recheckAfter(queued.recheckAfter(), this::resync);
        }
        return Wait.nothing();
    }

    private void timedOut() {
        wait.decide(() -> wait.state() == WaitState.QUEUED ? giveUp() : Wait.nothing());
    }

    private Runnable claim(long token) {
        wait.enter(WaitState.CONFIRMING);
        if (callers.isEmpty()) {
            return giveBack(token);
        }
        Renew renewal = new Renew(request.name(), token, request.lease());
        return () -> Wait.called(() -> store.renew(List.of(renewal)))
                .whenComplete((answers, failure) -> wait.decide(() -> {
                    if (wait.state() != WaitState.CONFIRMING) {
                        return Wait.nothing();
                    }
                    if (failure != null) {
                        return fail(failure);
                    }
                    if (answers.get(0) instanceof Renewed.Extended extended) {
                        return held(token, extended.lease());
                    }
                    return left().isNegative() ? refuse() : ask(); // the claim came too late: queue again
                }));
    }

    private Runnable giveUp() {
        if (elsewhere && callers.isEmpty()) {
            return settle(new Refused(Optional.empty())); // the place is kept until its wait or its session is over
        }
        wait.enter(WaitState.CANCELLING);
        Cancel cancel = new Cancel(request.name(), request.requestId());
        return () -> Wait.called(() -> store.cancel(cancel))
                .whenComplete((answer, failure) -> wait.decide(() -> {
                    if (wait.state() != WaitState.CANCELLING) {
                        return Wait.nothing();
                    }
                    if (failure != null) {
                        return fail(failure);
                    }
                    return answer instanceof Cancelled.WasGranted granted ? claim(granted.token()) : refuse();
                }));
    }

    private Runnable refuse() {
        if (callers.isEmpty()) {
            return settle(new Refused(Optional.empty()));
        }
        return () -> Wait.called(() -> store.inspect(request.name())).whenComplete((view, failure) -> {
            Optional<HeldBy> holder = failure == null
                    ? view.flatMap(LockView::holder).map(h -> new HeldBy(h.owner(), h.leaseLeft()))
                    : Optional.empty();
            wait.decide(() -> settle(new Refused(holder)));
        });
    }

    private Runnable held(long token, Duration lease) {
        return callers.isEmpty() ? giveBack(token) : settle(new Held(token, lease));
    }

    private Runnable giveBack(long token) {
        Runnable ended = settle(new Refused(Optional.empty()));
        if (elsewhere) {
            return ended;
        }
        return () -> {
            Wait.called(() -> store.release(List.of(new Release(request.name(), token))));
            ended.run();
        };
    }

    private Runnable settle(AcquireAnswer answer) {
        return finish(caller -> caller.complete(answer));
    }

    private Runnable fail(Throwable failure) {
        return finish(caller -> caller.completeExceptionally(failure));
    }

    private Runnable finish(Consumer<CompletableFuture<AcquireAnswer>> tell) {
        if (wait.state() == WaitState.ENDED) {
            return Wait.nothing();
        }
        wait.enter(WaitState.ENDED);
        List<CompletableFuture<AcquireAnswer>> told = List.copyOf(callers);
        callers.clear();
        return () -> {
            onEnd.accept(this);
            done.complete(null);
            told.forEach(tell);
        };
    }

    private void entered(WaitState next) {
        timers.cancel();
    }
}
