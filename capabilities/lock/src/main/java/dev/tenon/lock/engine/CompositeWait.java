package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One acquire request on its way through a store that is made of several, as an explicit state machine ({@link WaitState}). A
 * subclass says what a step is: which nodes it asks, and when the lock counts as held. Steps of one request never overlap. The
 * same request asked again joins the step under way, or begins one; each call of {@link #ask} is answered once. Thread-safe.
 *
 * @param <G> what a node tells when it hands the lock over
 */
public abstract class CompositeWait<G> extends Wait {
    private final CompositeWaits<?> waits;
    private final SessionBook book;
    private final TimeSource time;
    private final Acquire request;
    private final long startNanos;
    private final long deadlineNanos;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile CompletableFuture<Outcome> answer = new CompletableFuture<>();
    private volatile @Nullable G granted;
    private volatile long askedNanos;

    /**
     * A request that has not been asked yet.
     *
     * @param waits where it is entered until it ends
     * @param patience how long it is worth another step
     */
    protected CompositeWait(CompositeWaits<?> waits, Acquire request, Duration patience) {
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
        AtomicReference<@Nullable CompletableFuture<Outcome>> joined = new AtomicReference<>();
        decide(() -> {
            if (state().isOver()) {
                return nothing();
            }
            askedNanos = time.nanoTime();
            if (state().isBusy()) {
                joined.set(answer);
                return nothing();
            }
            enter(WaitState.ASKING);
            granted = null;
            answer = new CompletableFuture<>();
            joined.set(answer);
            return this::begin;
        });
        return Optional.ofNullable(joined.get());
    }

    /** A node hands the lock over. */
    public final void granted(G grant) {
        decide(() -> {
            granted = grant;
            if (state().isBusy() || state().isOver()) {
                return nothing(); // the step under way looks at it: it may have been answered before
            }
            enter(WaitState.CONFIRMING);
            return () -> confirm(grant);
        });
    }

    /** Gives up. Completes when no step is under way any more; what the request holds then may be the lock, if this came late. */
    final CompletableFuture<Void> cancel() {
        decide(() -> {
            if (state().isBusy()) {
                enter(WaitState.CANCELLING);
                return nothing();
            }
            enter(state().isOver() ? state() : WaitState.ENDED);
            return () -> ended.complete(null);
        });
        return ended;
    }

    /** Whether nothing will come of this any more. */
    final boolean isOver(long nowNanos) {
        return !state().isBusy() && nowNanos - deadlineNanos > 0;
    }

    /** The request stands in a queue. A grant that came meanwhile is taken, and a cancelled request given back. */
    protected final void queued(Outcome outcome) {
        decide(() -> {
            CompletableFuture<Outcome> told = answer;
            G next = granted;
            if (state() == WaitState.CANCELLING) {
                return () -> giveBackAll().thenRun(this::endCancelled);
            }
            enter(next == null ? WaitState.QUEUED : WaitState.CONFIRMING);
            return () -> {
                told.complete(outcome);
                if (next != null) {
                    confirm(next);
                }
            };
        });
    }

    /** Forgets a grant that did not count. */
    protected final void forgetGrant() {
        granted = null;
    }

    /** Ends with an answer; who has one already, and was told to wait, asks again. */
    protected final void end(Outcome outcome) {
        close(cancelled -> {
            boolean first = answer.complete(outcome);
            if (!first && !cancelled && !(outcome instanceof Outcome.Busy)) {
                book.resync(request.sessionId());
            }
        });
    }

    /** Ends with nothing, as the request was cancelled. */
    protected final void endCancelled() {
        close(cancelled -> answer.complete(new Outcome.Busy(request.owner(), Duration.ZERO)));
    }

    /** Ends with the lock, of which the session is told by a push. */
    protected final void endPushed(Grant grant) {
        close(cancelled -> book.events(grant.sessionId()).ifPresent(events -> events.granted(grant)));
    }

    /** Ends with a failure; who was told to wait asks again, and hears of it then. */
    protected final void fail(Throwable failure) {
        close(cancelled -> {
            if (!answer.completeExceptionally(failure)) {
                book.resync(request.sessionId());
            }
        });
    }

    /** Ends. */
    private void close(Consumer<Boolean> tell) {
        waits.ended(this);
        decide(() -> {
            boolean cancelled = state() == WaitState.CANCELLING;
            enter(WaitState.ENDED);
            return () -> {
                ended.complete(null);
                tell.accept(cancelled);
            };
        });
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
        return state() == WaitState.CANCELLING;
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
