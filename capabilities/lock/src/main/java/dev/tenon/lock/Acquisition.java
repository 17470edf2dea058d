package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock: stands in the local line, asks the store, waits for the push, asks again when told to (or
 * when a reply was lost), and gives up in time. Whatever happens, it ends once: with a lease, with nothing, or with a
 * failure; and what the store may have granted after that is given back.
 */
final class Acquisition {
    private static final long RETRY_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long RETRY_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    private static final Duration NO_WAIT_PATIENCE = Duration.ofSeconds(1);

    private final Locks locks;
    private final Wish wish;
    private final @Nullable Lease converts;
    private final String name;
    private final LockOptions options;
    private final boolean waits;
    private final String owner;
    private final long deadlineNanos;
    private final CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
    private final WaitTimers timers;
    private final AttemptCalls calls;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicBoolean confirming = new AtomicBoolean();
    private final AtomicLong grantedToken = new AtomicLong();
    private volatile LocalGates.@Nullable Place place;
    private volatile @Nullable Throwable lastFailure;
    private volatile String requestId;
    private volatile long firstAskedNanos;
    private volatile boolean asked;
    private volatile boolean queued;
    private volatile int failures;

    /**
     * @param converts the lease whose hold the wish is to replace, if it is
     */
    Acquisition(Locks locks, Wish wish, Duration wait, @Nullable Lease converts) {
        this.locks = locks;
        this.wish = wish;
        this.converts = converts;
        this.name = wish.name();
        this.options = wish.options();
        this.waits = !wait.isZero();
        this.owner = wish.owner().orElseGet(() -> locks.ownerOf(Thread.currentThread()));
        this.deadlineNanos = locks.time().nanoTime() + (waits ? wait : NO_WAIT_PATIENCE).toNanos();
        this.requestId = locks.nextRequestId();
        this.timers = new WaitTimers(locks.timers(), this::abandon);
        this.calls = new AttemptCalls(locks, name, converts);
    }

    void start() {
        if (!wish.gated()) {
            ask();
            return;
        }
        if (!waits) {
            if (locks.gates().tryEnter(name)) {
                ask();
            } else {
                ended.set(true);
                result.complete(Optional.empty());
            }
            return;
        }
        LocalGates.Place mine = new LocalGates.Place(wish, owner);
        place = mine;
        locks.gates().enter(mine);
        if (!mine.turn().isDone()) {
            armTimeout();
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
        if (ended.compareAndSet(false, true)) {
            grantedToken.set(lease.token());
            disarm();
            result.complete(Optional.of(lease));
        } else {
            lease.giveUp(); // whoever ended this attempt has left the gate
        }
    }

    CompletableFuture<Optional<Lease>> result() {
        return result;
    }

    /** Waits for the end; an interrupt is one, when the store has confirmed that it has nothing of this any more, or does not answer. */
    Optional<Lease> await() throws InterruptedException {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return result.get();
        } catch (InterruptedException e) {
            abandon();
            // Had it ended before it could be abandoned, then perhaps with a lease, which nobody would ever close.
            calls.make(() -> result, (lease, failure) -> {
                if (lease != null) {
                    lease.ifPresent(held -> calls.make(held::closeAsync, (done, late) -> {}));
                }
            });
            calls.awaitAnswers();
            throw e;
        } catch (ExecutionException e) {
            throw Locks.unchecked(Objects.requireNonNull(e.getCause()));
        }
    }

    /** Waits for the end of an attempt that does not wait for the lock. */
    Optional<Lease> joinAtOnce() {
        return Locks.join(result);
    }

    /** Asks the store, for the first time or again. */
    void ask() {
        if (ended.get()) {
            return;
        }
        if (locks.isClosed()) {
            abandon(); // asking would open another session, and hold what nobody renews
            return;
        }
        long now = locks.time().nanoTime();
        if (!asked) {
            firstAskedNanos = now;
            asked = true;
        }
        String request = requestId;
        if (waits) {
            locks.waiting().put(request, this);
            if (ended.get()) {
                locks.waiting().remove(request);
                return;
            }
        }
        calls.make(locks::session, (session, failure) -> {
            if (session == null) {
                failed(Objects.requireNonNull(failure));
            } else if (!ended.get()) {
                send(session, request);
            }
        });
    }

    private void send(Session session, String request) {
        long sentNanos = locks.time().nanoTime();
        Duration left = Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), deadlineNanos - sentNanos));
        Acquire acquire = new Acquire(
                name,
                session.id(),
                request,
                owner,
                Optional.of(options.lease()),
                waits ? left : Duration.ZERO,
                wish.terms());
        calls.make(() -> locks.store().acquire(acquire), (outcome, failure) -> {
            if (outcome != null) {
                answered(outcome, request, session, sentNanos);
            } else if (!ended.get()) {
                failed(Objects.requireNonNull(failure));
            } else if (grantedToken.get() == 0
                    && Locks.unchecked(Objects.requireNonNull(failure)) instanceof OutcomeUnknownException) {
                calls.callOff(request, overNanos()); // it may have got through after it was called off
            }
        });
    }

    private void answered(Outcome outcome, String request, Session session, long sentNanos) {
        lastFailure = null;
        if (outcome instanceof Outcome.Granted granted) {
            if (!request.equals(requestId)) {
                calls.giveBack(granted.token());
                return;
            }
            hold(new Lease.Terms(granted.token(), sentNanos, granted.lease(), !queued));
        } else if (outcome instanceof Outcome.Queued && ended.get() && grantedToken.get() == 0) {
            calls.callOff(request, overNanos()); // the store saw the cancellation before this request
        } else if (outcome instanceof Outcome.Queued inQueue) {
            queued = true;
            failures = 0;
            armTimeout();
            recheckAfter(inQueue.recheckAfter().toNanos() + TimeUnit.MILLISECONDS.toNanos(5));
        } else if (outcome instanceof Outcome.NotHeld) {
            calls.loseConverted("it was gone before it could be converted");
            endWith(new LeaseLostException("Lock \"" + name + "\" (token "
                    + wish.terms().converts().orElse(0) + ") was lost before it could be converted"));
        } else if (outcome instanceof Outcome.NoSession) {
            locks.sessionLost(session.id());
            failed(new BackendUnavailableException("The store does not know the session of this process"));
        } else if (waits && deadlineNanos - locks.time().nanoTime() > RETRY_NANOS_MAX) {
            recheckAfter(RETRY_NANOS_MAX);
        } else if (ended.compareAndSet(false, true)) {
            disarm();
            endWithNothing();
        }
    }

    /** The store has handed the lock to this request. */
    void granted(Grant grant) {
        if (!grant.requestId().equals(requestId)) {
            return;
        }
        queued = true;
        long sinceQueued = grant.sinceQueued().toNanos();
        // The store's clock may run faster than ours by 0.1 %: then less time than it says has passed here.
        long fromNanos = firstAskedNanos + sinceQueued - sinceQueued / 1000;
        long elapsed = locks.time().nanoTime() - fromNanos;
        if (elapsed < grant.lease().toNanos() / 2) {
            hold(new Lease.Terms(grant.token(), fromNanos, grant.lease(), false));
        } else if (confirming.compareAndSet(false, true)) {
            confirm(grant);
        }
    }

    /** The push was under way for long, or the wait was: asks the store whether the grant still stands. */
    private void confirm(Grant grant) {
        long sentNanos = locks.time().nanoTime();
        Renew renew = new Renew(name, grant.token(), Optional.of(options.lease()));
        locks.store().renew(List.of(renew)).whenComplete((answers, failure) -> {
            confirming.set(false);
            if (failure != null) {
                failed(failure);
            } else if (answers.get(0) instanceof Renewed.Extended extended) {
                hold(new Lease.Terms(grant.token(), sentNanos, extended.lease(), true));
            } else {
                restart();
            }
        });
    }

    /** Begins again as a new request: the old one is known to be over in the store. */
    void restart() {
        locks.waiting().remove(requestId);
        requestId = locks.nextRequestId();
        asked = false;
        queued = false;
        ask();
    }

    private void hold(Lease.Terms terms) {
        long before = grantedToken.getAndSet(terms.token());
        if (before == terms.token()) {
            return; // one grant, heard of twice: by the push and by the answer to a repeated request
        }
        if (!ended.compareAndSet(false, true)) {
            calls.giveBack(terms.token());
            return;
        }
        disarm();
        if (converts != null) {
            converts.replaced();
        }
        Lease lease = new Lease(locks, wish, terms, owner);
        locks.renewals().add(lease);
        result.complete(Optional.of(lease));
    }

    private void failed(Throwable failure) {
        if (ended.get()) {
            return;
        }
        RuntimeException cause = Locks.unchecked(failure);
        boolean passing = cause instanceof BackendUnavailableException || cause instanceof OutcomeUnknownException;
        // A request whose answer was lost may have got through, though the store can't be reached since.
        RuntimeException known = passing && lastFailure instanceof OutcomeUnknownException lost ? lost : cause;
        lastFailure = known;
        failures++;
        long pause = Math.min(RETRY_NANOS_MAX, RETRY_NANOS_MIN << Math.min(6, failures - 1));
        if (passing && deadlineNanos - locks.time().nanoTime() > pause && (waits || failures < 3)) {
            recheckAfter(pause);
        } else {
            endWith(known);
        }
    }

    private void recheckAfter(long nanos) {
        timers.recheckAfter(nanos, this::ask);
    }

    private void armTimeout() {
        if (!timers.hasTimeout() && waits) {
            timers.timeoutAfter(deadlineNanos - locks.time().nanoTime(), this::timedOut);
        }
    }

    private void timedOut() {
        LocalGates.Place inLine = place;
        if (inLine != null && locks.gates().leaveLine(inLine)) {
            if (ended.compareAndSet(false, true)) {
                result.complete(Optional.empty());
            }
            return;
        }
        if (ended.get()) {
            return;
        }
        if (!asked) {
            // Its turn has just come: what it asks for now must still be called off.
            timers.timeoutAfter(RETRY_NANOS_MIN, this::timedOut);
            return;
        }
        long sentNanos = locks.time().nanoTime();
        locks.store().cancel(new Cancel(name, requestId)).whenComplete((answer, failure) -> {
            Throwable known = lastFailure;
            if (answer instanceof Cancelled.WasGranted granted) {
                hold(new Lease.Terms(granted.token(), sentNanos, granted.lease(), false));
            } else if (known != null) {
                endWith(known);
            } else if (ended.compareAndSet(false, true)) {
                disarm();
                if (failure != null) {
                    calls.callOff(requestId, overNanos());
                }
                // A repeated request may reach the store after the cancellation.
                calls.whenAnswered(this::endWithNothing);
            }
        });
    }

    /** Gives up at once. What the store has granted, or is about to grant, is given back. */
    void abandon() {
        LocalGates.Place inLine = place;
        boolean leftLine = inLine != null && locks.gates().leaveLine(inLine);
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        disarm();
        if (leftLine || !asked) {
            if (!leftLine && (inLine == null || !inLine.turn().isCancelled())) {
                wish.leaveGate(locks);
            }
        } else {
            giveBack();
        }
        if (locks.isClosed()) {
            result.completeExceptionally(locks.closedException());
        } else {
            result.complete(Optional.empty());
        }
    }

    private void endWithNothing() {
        wish.leaveGate(locks);
        result.complete(Optional.empty());
    }

    private void endWith(Throwable failure) {
        if (ended.compareAndSet(false, true)) {
            disarm();
            giveBack();
            result.completeExceptionally(failure);
        }
    }

    private void giveBack() {
        calls.callOff(requestId, overNanos(), () -> wish.leaveGate(locks));
    }

    /** From when on what was asked for can hold nothing any more. */
    private long overNanos() {
        return Math.max(deadlineNanos, locks.time().nanoTime())
                + options.lease().toNanos();
    }

    private void disarm() {
        locks.waiting().remove(requestId);
        timers.cancel();
    }
}
