package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.engine.Wait;
import dev.tenon.lock.engine.WaitState;
import dev.tenon.lock.engine.WaitTimers;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of this process to acquire a lock: stands in the local line, asks the store, waits for the push, asks
 * again when told to (or when a reply was lost), and gives up in time. Whatever happens, it ends once: with a lease,
 * with nothing, or with a failure; and what the store may have granted after that is given back.
 */
final class Acquisition {
    private static final long RETRY_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long RETRY_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    private static final Duration NO_WAIT_PATIENCE = Duration.ofSeconds(1);

    private final Locks locks;
    private final Wish wish;
    private final boolean waits;
    private final String owner;
    private final long deadlineNanos;
    private final CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
    private final WaitTimers timers;
    private final AttemptCalls calls;
    private final Wait wait = new Wait(this::entered);
    private final LocalGates.@Nullable Place place;
    private AcquireProgress request;
    private long grantedToken;

    /** @param converts the lease whose hold the wish is to replace, if it is */
    Acquisition(Locks locks, Wish wish, Duration waitTime, @Nullable Lease converts) {
        this.locks = locks;
        this.wish = wish;
        this.waits = !waitTime.isZero();
        this.owner = wish.owner().orElseGet(() -> locks.ownerOf(Thread.currentThread()));
        long now = locks.time().nanoTime();
        this.deadlineNanos = now + (waits ? waitTime : NO_WAIT_PATIENCE).toNanos();
        this.request = AcquireProgress.of(locks.nextRequestId(), now);
        this.timers = new WaitTimers(locks.timers());
        this.calls = new AttemptCalls(locks, wish.name(), converts);
        this.place = wish.gated() && waits ? new LocalGates.Place(wish, owner) : null;
    }

    void start() {
        LocalGates.Place mine = place;
        if (mine == null) {
            if (!wish.gated() || locks.gates().tryEnter(wish.name())) {
                ask();
            } else {
                wait.decide(() -> end(() -> result.complete(Optional.empty())));
            }
            return;
        }
        locks.gates().enter(mine);
        if (!mine.turn().isDone()) {
            wait.decide(this::armTimeout);
        }
        mine.turn().whenComplete((handed, sentHome) -> {
            if (sentHome != null) {
                abandon();
            } else {
                handed.ifPresentOrElse(this::take, this::ask);
            }
        });
    }

    /** The thread before this one has handed its lease on. */
    private void take(Lease lease) {
        wait.decide(() -> {
            if (wait.state().isOver()) {
                return lease::giveUp; // whoever ended this attempt has left the gate
            }
            grantedToken = lease.token();
            wait.enter(WaitState.HELD);
            return () -> result.complete(Optional.of(lease));
        });
    }

    CompletableFuture<Optional<Lease>> result() {
        return result;
    }

    /** {@link AttemptCalls#await}. */
    Optional<Lease> await() throws InterruptedException {
        return calls.await(result, this::abandon);
    }

    /** Asks the store, for the first time or again: what it was asked before may have been lost. */
    void ask() {
        wait.decide(() -> {
            if (wait.state().isOver() || wait.state() == WaitState.CANCELLING) {
                return Wait.nothing();
            }
            return wait.state() == WaitState.CONFIRMING ? sending() : asking();
        });
    }

    private Runnable asking() {
        if (wait.state() == WaitState.IDLE) {
            request = AcquireProgress.of(request.id(), locks.time().nanoTime());
        }
        wait.enter(WaitState.ASKING);
        return sending();
    }

    private Runnable sending() {
        if (locks.isClosed()) {
            return this::abandon; // asking would open another session, and hold what nobody renews
        }
        String id = request.id();
        if (waits) {
            locks.waiting().put(id, this);
        }
        return () -> calls.make(locks::session, (session, failure) -> {
            if (session == null) {
                wait.decide(() -> failed(Objects.requireNonNull(failure)));
            } else if (!wait.state().isOver()) {
                send(session, id);
            }
        });
    }

    private void send(Session session, String id) {
        long sentNanos = locks.time().nanoTime();
        Duration left = Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), deadlineNanos - sentNanos));
        Acquire acquire = wish.asAcquire(session, id, owner, waits ? left : Duration.ZERO);
        calls.make(
                () -> locks.store().acquire(acquire),
                (outcome, failure) -> wait.decide(() -> {
                    if (outcome != null) {
                        return answered(outcome, id, session, sentNanos);
                    }
                    Throwable cause = Objects.requireNonNull(failure);
                    if (!wait.state().isOver()) {
                        return failed(cause);
                    }
                    // It may have got through after it was called off.
                    boolean mayHold = grantedToken == 0 && Locks.unchecked(cause) instanceof OutcomeUnknownException;
                    return mayHold ? () -> calls.callOff(id, overNanos()) : Wait.nothing();
                }));
    }

    private Runnable answered(Outcome outcome, String id, Session session, long sentNanos) {
        boolean current = id.equals(request.id());
        if (outcome instanceof Outcome.Granted granted) {
            return current
                    ? hold(new Lease.Terms(granted.token(), sentNanos, granted.lease(), !request.queued()))
                    : () -> calls.giveBack(granted.token());
        }
        boolean inQueue = outcome instanceof Outcome.Queued;
        if (wait.state().isOver()) {
            // The store saw the cancellation before this request.
            return inQueue && grantedToken == 0 ? () -> calls.callOff(id, overNanos()) : Wait.nothing();
        }
        if (!current || wait.state() == WaitState.CANCELLING) {
            return Wait.nothing();
        }
        request = request.answered(inQueue);
        if (outcome instanceof Outcome.Queued queued) {
            return wait.state() == WaitState.CONFIRMING
                    ? Wait.nothing()
                    : pause(queued.recheckAfter().toNanos() + TimeUnit.MILLISECONDS.toNanos(5));
        }
        if (outcome instanceof Outcome.NotHeld) {
            return endWith(calls::convertedIsGone);
        }
        if (outcome instanceof Outcome.NoSession) {
            Runnable next =
                    failed(new BackendUnavailableException("The store does not know the session of this process"));
            return () -> {
                locks.sessionLost(session.id());
                next.run();
            };
        }
        return waits && left().toNanos() > RETRY_NANOS_MAX ? pause(RETRY_NANOS_MAX) : end(this::endWithNothing);
    }

    /** The store has handed the lock to this request. */
    void granted(Grant grant) {
        wait.decide(() -> {
            if (!grant.requestId().equals(request.id())) {
                return Wait.nothing();
            }
            request = request.granted();
            long fromNanos = request.grantedNanos(grant);
            if (locks.time().nanoTime() - fromNanos < grant.lease().toNanos() / 2) {
                return hold(new Lease.Terms(grant.token(), fromNanos, grant.lease(), false));
            }
            return wait.state() == WaitState.ASKING || wait.state() == WaitState.QUEUED
                    ? confirm(grant)
                    : Wait.nothing();
        });
    }

    /** The push was under way for long, or the wait was: asks the store whether the grant still stands. */
    private Runnable confirm(Grant grant) {
        wait.enter(WaitState.CONFIRMING);
        long sentNanos = locks.time().nanoTime();
        Renew renew = wish.asRenew(grant.token());
        return () -> Wait.called(() -> locks.store().renew(List.of(renew)))
                .whenComplete((answers, failure) -> wait.decide(() -> {
                    if (failure != null) {
                        return failed(failure);
                    }
                    if (answers.get(0) instanceof Renewed.Extended extended) {
                        return hold(new Lease.Terms(grant.token(), sentNanos, extended.lease(), true));
                    }
                    return anew();
                }));
    }

    /** Begins again as a new request: the old one is known to be over in the store. */
    void restart() {
        wait.decide(this::anew);
    }

    private Runnable anew() {
        if (wait.state().isOver() || wait.state() == WaitState.CANCELLING || wait.state() == WaitState.IDLE) {
            return Wait.nothing();
        }
        locks.waiting().remove(request.id());
        request = AcquireProgress.of(locks.nextRequestId(), locks.time().nanoTime());
        return asking();
    }

    private Runnable hold(Lease.Terms terms) {
        if (grantedToken == terms.token()) {
            return Wait.nothing(); // one grant, heard of twice: by the push and by the answer to a repeated request
        }
        grantedToken = terms.token();
        if (wait.state().isOver()) {
            return () -> calls.giveBack(terms.token());
        }
        wait.enter(WaitState.HELD);
        return () -> {
            calls.replaceConverted();
            Lease lease = new Lease(locks, wish, terms, owner);
            locks.renewals().add(lease);
            result.complete(Optional.of(lease));
        };
    }

    private Runnable failed(Throwable failure) {
        if (wait.state().isOver()) {
            return Wait.nothing();
        }
        RuntimeException cause = Locks.unchecked(failure);
        boolean passing = cause instanceof BackendUnavailableException || cause instanceof OutcomeUnknownException;
        // A request whose answer was lost may have got through, though the store can't be reached since.
        RuntimeException known =
                passing && request.lastFailure() instanceof OutcomeUnknownException lost ? lost : cause;
        request = request.failed(known);
        long pause = Math.min(RETRY_NANOS_MAX, RETRY_NANOS_MIN << Math.min(6, request.failures() - 1));
        boolean retries = passing
                && left().toNanos() > pause
                && (waits || request.failures() < 3)
                && wait.state() != WaitState.CANCELLING;
        return retries ? pause(pause) : endWith(() -> known);
    }

    /** Waits to be told, or to ask again after a time. */
    private Runnable pause(long nanos) {
        wait.enter(WaitState.QUEUED);
        return timers.recheckAfter(Duration.ofNanos(nanos), this::ask) ? armTimeout() : this::abandon;
    }

    private Runnable armTimeout() {
        return !waits || wait.state().isOver() || timers.hasTimeout() || timers.timeoutAfter(left(), this::timedOut)
                ? Wait.nothing()
                : this::abandon;
    }

    private Duration left() {
        return Duration.ofNanos(deadlineNanos - locks.time().nanoTime());
    }

    private void timedOut() {
        wait.decide(() -> {
            if (place != null && locks.gates().leaveLine(place)) {
                return end(() -> result.complete(Optional.empty()));
            }
            if (wait.state().isOver()) {
                return Wait.nothing();
            }
            if (wait.state() == WaitState.IDLE) {
                // Its turn has just come: what it asks for now must still be called off.
                return timers.timeoutAfter(Duration.ofNanos(RETRY_NANOS_MIN), this::timedOut)
                        ? Wait.nothing()
                        : this::abandon;
            }
            wait.enter(WaitState.CANCELLING);
            long sentNanos = locks.time().nanoTime();
            Cancel cancel = new Cancel(wish.name(), request.id());
            return () -> Wait.called(() -> locks.store().cancel(cancel))
                    .whenComplete((answer, failure) -> wait.decide(() -> cancelled(answer, failure, sentNanos)));
        });
    }

    private Runnable cancelled(@Nullable Cancelled answer, @Nullable Throwable failure, long sentNanos) {
        if (answer instanceof Cancelled.WasGranted granted) {
            return hold(new Lease.Terms(granted.token(), sentNanos, granted.lease(), false));
        }
        if (wait.state().isOver()) {
            return Wait.nothing();
        }
        Throwable known = request.lastFailure();
        if (known != null) {
            return endWith(() -> known);
        }
        return end(() -> {
            if (failure != null) {
                calls.callOff(request.id(), overNanos());
            }
            // A repeated request may reach the store after the cancellation.
            calls.whenAnswered(this::endWithNothing);
        });
    }

    /** Gives up at once. What the store has granted, or is about to grant, is given back. */
    void abandon() {
        wait.decide(() -> {
            boolean inLine = place != null
                    && (locks.gates().leaveLine(place) || place.turn().isCancelled());
            boolean asked = wait.state() != WaitState.IDLE;
            return end(() -> {
                if (asked) {
                    giveBack();
                } else if (!inLine) {
                    wish.leaveGate(locks);
                }
                if (locks.isClosed()) {
                    result.completeExceptionally(locks.closedException());
                } else {
                    result.complete(Optional.empty());
                }
            });
        });
    }

    private Runnable end(Runnable then) {
        if (wait.state().isOver()) {
            return Wait.nothing();
        }
        wait.enter(WaitState.ENDED);
        return then;
    }

    private void endWithNothing() {
        wish.leaveGate(locks);
        result.complete(Optional.empty());
    }

    private Runnable endWith(Supplier<Throwable> failure) {
        return end(() -> {
            Throwable why = failure.get();
            giveBack();
            result.completeExceptionally(why);
        });
    }

    private void giveBack() {
        calls.callOff(request.id(), overNanos(), () -> wish.leaveGate(locks));
    }

    /** From when on what was asked for can hold nothing any more. */
    private long overNanos() {
        return Math.max(deadlineNanos, locks.time().nanoTime())
                + wish.options().lease().toNanos();
    }

    private void entered(WaitState next) {
        timers.cancelRecheck();
        if (next.isOver()) {
            timers.cancel();
            locks.waiting().remove(request.id());
        }
    }
}
