package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One acquire request on its way through a store that is made of several, as an explicit state machine ({@link WaitState}). A
 * subclass says what a step is: which nodes it asks, and when the lock counts as held. Steps of one request never overlap. The
 * same request asked again joins the step under way, or begins one; each call of {@link #ask} is answered once. Thread-safe.
 *
 * @param <G> what a node tells when it hands the lock over
 */
public abstract class Wait<G> {
    private final Waits<?> waits;
    private final SessionBook book;
    private final TimeSource time;
    private final Acquire request;
    private final long startNanos;
    private final long deadlineNanos;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final ReentrantLock guard = new ReentrantLock();
    private volatile CompletableFuture<Outcome> answer = new CompletableFuture<>();
    private volatile WaitState state = WaitState.IDLE;
    private @Nullable G granted;
    private volatile long askedNanos;

    /**
     * A request that has not been asked yet.
     *
     * @param waits where it is entered until it ends
     * @param patience how long it is worth another step
     */
    protected Wait(Waits<?> waits, Acquire request, Duration patience) {
        this.waits = waits;
        this.book = waits.book();
        this.time = waits.time();
        this.request = request;
        this.startNanos = time.nanoTime();
        this.askedNanos = startNanos;
        this.deadlineNanos = startNanos + patience.toNanos();
    }

    /** Begins to ask. It comes to {@link #queued}, {@link #end} or {@link #fail}. */
    protected abstract void begin();

    /** Makes sure of a lock that was handed over. It comes to {@link #queued}, {@link #end}, {@link #endPushed} or {@link #fail}. */
    protected abstract void confirm(G grant);

    /** Takes the request out of all queues, and gives back what it was granted. Never fails. */
    protected abstract CompletableFuture<?> giveBackAll();

    /** Asks, for the first time or again; empty if this has ended, so that the request has to be made anew. */
    final Optional<CompletableFuture<Outcome>> ask() {
        CompletableFuture<Outcome> mine;
        guard.lock();
        try {
            if (state == WaitState.ENDED) {
                return Optional.empty();
            }
            askedNanos = time.nanoTime();
            if (state.isBusy()) {
                return Optional.of(answer);
            }
            state = state.asked();
            granted = null;
            mine = new CompletableFuture<>();
            answer = mine;
        } finally {
            guard.unlock();
        }
        begin();
        return Optional.of(mine);
    }

    /** A node hands the lock over. */
    public final void granted(G grant) {
        guard.lock();
        try {
            granted = grant;
            boolean waiting = !state.isBusy() && state != WaitState.ENDED;
            state = state.granted();
            if (!waiting) {
                return; // the step under way looks at it: it may have been answered before
            }
        } finally {
            guard.unlock();
        }
        confirm(grant);
    }

    /** Gives up. Completes when no step is under way any more; what the request holds then may be the lock, if this came late. */
    final CompletableFuture<Void> cancel() {
        boolean over;
        guard.lock();
        try {
            state = state.cancelled();
            over = state == WaitState.ENDED;
        } finally {
            guard.unlock();
        }
        if (over) {
            ended.complete(null);
        }
        return ended;
    }

    /** Whether nothing will come of this any more. */
    final boolean isOver(long nowNanos) {
        guard.lock();
        try {
            return !state.isBusy() && nowNanos - deadlineNanos > 0;
        } finally {
            guard.unlock();
        }
    }

    /** The request stands in a queue. A grant that came meanwhile is taken, and a cancelled request given back. */
    protected final void queued(Outcome outcome) {
        CompletableFuture<Outcome> told;
        G next;
        boolean cancelled;
        guard.lock();
        try {
            told = answer;
            cancelled = state == WaitState.CANCELLING;
            next = granted;
            state = next == null ? state.queued() : state.queued().granted();
        } finally {
            guard.unlock();
        }
        if (cancelled) {
            giveBackAll().thenRun(this::endCancelled);
            return;
        }
        told.complete(outcome);
        if (next != null) {
            confirm(next);
        }
    }

    /** Forgets a grant that did not count. */
    protected final void forgetGrant() {
        guard.lock();
        try {
            granted = null;
        } finally {
            guard.unlock();
        }
    }

    /** Ends with an answer; who has one already, and was told to wait, asks again. */
    protected final void end(Outcome outcome) {
        boolean cancelled = close();
        boolean first = answer.complete(outcome);
        if (!first && !cancelled && !(outcome instanceof Outcome.Busy)) {
            book.resync(request.sessionId());
        }
    }

    /** Ends with nothing, as the request was cancelled. */
    protected final void endCancelled() {
        close();
        answer.complete(new Outcome.Busy(request.owner(), Duration.ZERO));
    }

    /** Ends with the lock, of which the session is told by a push. */
    protected final void endPushed(Grant grant) {
        close();
        book.events(grant.sessionId()).ifPresent(events -> events.granted(grant));
    }

    /** Ends with a failure; who was told to wait asks again, and hears of it then. */
    protected final void fail(Throwable failure) {
        boolean told = answer.isDone();
        close();
        if (told) {
            book.resync(request.sessionId());
        } else {
            answer.completeExceptionally(failure);
        }
    }

    /** Ends; whether the request had been cancelled. */
    private boolean close() {
        waits.ended(this);
        boolean cancelled;
        guard.lock();
        try {
            cancelled = state == WaitState.CANCELLING;
            state = WaitState.ENDED;
        } finally {
            guard.unlock();
        }
        ended.complete(null);
        return cancelled;
    }

    /** Whether the request was answered since it was asked last: what it gets now is pushed. */
    protected final boolean isAnswered() {
        return answer.isDone();
    }

    /** Lets the caller wait while this goes on. */
    protected final void answerQueued(Outcome.Queued queued) {
        answer.complete(queued);
    }

    /** Whether the request is being cancelled: a step is to give back what it gets. */
    protected final boolean isCancelled() {
        return state == WaitState.CANCELLING;
    }

    /** The request. */
    public final Acquire request() {
        return request;
    }

    /** When the request was made, on this process's monotonic clock. */
    protected final long startNanos() {
        return startNanos;
    }

    /** When it was asked last: from then on its caller counts a lease. */
    protected final long askedNanos() {
        return askedNanos;
    }

    /** Until when it is worth another step. */
    protected final long deadlineNanos() {
        return deadlineNanos;
    }

    /** The request as it is put to a node now: with the wait that is left, of a millisecond at least. */
    protected final Acquire forNode(long nowNanos) {
        return request.mayWait()
                ? request.withWait(Duration.ofNanos(Math.max(1_000_000, deadlineNanos - nowNanos)))
                : request;
    }
}
