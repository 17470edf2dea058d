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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One acquire request on its way through a store that is made of several, as an explicit state machine
 * ({@link WaitState}). Its {@link Strategy} says what a step is: which nodes it asks, and when the lock counts as held.
 * Steps of one request never overlap. The same request asked again joins the step under way, or begins one; each time
 * it is answered once. Thread-safe.
 *
 * @param <G> what a node tells when it hands the lock over
 */
public final class CompositeWait<G> {
    private final Wait wait = new Wait(entered -> {});
    private final CompositeWaits<G> waits;
    private final SessionBook book;
    private final TimeSource time;
    private final Acquire request;
    private final Strategy<G> strategy;
    private final long startNanos;
    private final long deadlineNanos;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile CompletableFuture<Outcome> answer = new CompletableFuture<>();
    private volatile @Nullable G granted;
    private volatile long askedNanos;

    /**
     * What a step of a request is.
     *
     * @param <G> what a node tells when it hands the lock over
     */
    public interface Strategy<G> {
        /** How long the request is worth another step. */
        Duration patience();

        /** Begins to ask. It comes to {@link #queued}, {@link #end} or {@link #fail}. */
        void begin();

        /** Makes sure of a lock that was handed over. It comes to {@link #end}, {@link #endPushed} or {@link #fail}. */
        void confirm(G grant);

        /** Takes the request out of all queues, and gives back what it was granted. Never fails. */
        CompletableFuture<?> giveBackAll();
    }

    CompositeWait(CompositeWaits<G> waits, Acquire request, Function<CompositeWait<G>, Strategy<G>> strategy) {
        this.waits = waits;
        this.book = waits.book();
        this.time = waits.time();
        this.request = request;
        this.startNanos = time.nanoTime();
        this.askedNanos = startNanos;
        this.strategy = strategy.apply(this);
        this.deadlineNanos = startNanos + this.strategy.patience().toNanos();
    }

    /** Asks, for the first time or again; empty if this has ended, so that the request has to be made anew. */
    Optional<CompletableFuture<Outcome>> ask() {
        AtomicReference<@Nullable CompletableFuture<Outcome>> joined = new AtomicReference<>();
        wait.decide(() -> {
            if (wait.state().isOver()) {
                return Wait.nothing();
            }
            askedNanos = time.nanoTime();
            if (wait.state().isBusy()) {
                joined.set(answer);
                return Wait.nothing();
            }
            wait.enter(WaitState.ASKING);
            granted = null;
            answer = new CompletableFuture<>();
            joined.set(answer);
            return strategy::begin;
        });
        return Optional.ofNullable(joined.get());
    }

    /** A node hands the lock over. */
    public void granted(G grant) {
        wait.decide(() -> {
            granted = grant;
            if (wait.state().isBusy() || wait.state().isOver()) {
                return Wait.nothing(); // the step under way looks at it: it may have been answered before
            }
            wait.enter(WaitState.CONFIRMING);
            return () -> strategy.confirm(grant);
        });
    }

    /**
     * Gives up. Completes when no step is under way any more; what the request holds then may be the lock, if this came
     * late.
     */
    CompletableFuture<Void> cancel() {
        wait.decide(() -> {
            if (wait.state().isBusy()) {
                wait.enter(WaitState.CANCELLING);
                return Wait.nothing();
            }
            wait.enter(wait.state().isOver() ? wait.state() : WaitState.ENDED);
            return () -> ended.complete(null);
        });
        return ended;
    }

    /** Whether nothing will come of this any more. */
    boolean isOver(long nowNanos) {
        return !wait.state().isBusy() && nowNanos - deadlineNanos > 0;
    }

    /** The request stands in a queue. A grant that came meanwhile is taken, and a cancelled request given back. */
    public void queued(Outcome outcome) {
        wait.decide(() -> {
            CompletableFuture<Outcome> told = answer;
            G next = granted;
            if (wait.state() == WaitState.CANCELLING) {
                return () -> strategy.giveBackAll().thenRun(this::endCancelled);
            }
            wait.enter(next == null ? WaitState.QUEUED : WaitState.CONFIRMING);
            return () -> {
                told.complete(outcome);
                if (next != null) {
                    strategy.confirm(next);
                }
            };
        });
    }

    /** Forgets a grant that did not count. */
    public void forgetGrant() {
        granted = null;
    }

    /** Ends with an answer; who has one already, and was told to wait, asks again. */
    public void end(Outcome outcome) {
        close(cancelled -> {
            boolean first = answer.complete(outcome);
            if (!first && !cancelled && !(outcome instanceof Outcome.Busy)) {
                book.resync(request.sessionId());
            }
        });
    }

    /** Ends with nothing, as the request was cancelled. */
    public void endCancelled() {
        close(cancelled -> answer.complete(new Outcome.Busy(request.owner(), Duration.ZERO)));
    }

    /** Ends with the lock, of which the session is told by a push. */
    public void endPushed(Grant grant) {
        close(cancelled -> book.events(grant.sessionId()).ifPresent(events -> events.granted(grant)));
    }

    /** Ends with a failure; who was told to wait asks again, and hears of it then. */
    public void fail(Throwable failure) {
        close(cancelled -> {
            if (!answer.completeExceptionally(failure)) {
                book.resync(request.sessionId());
            }
        });
    }

    /** Ends. */
    private void close(Consumer<Boolean> tell) {
        waits.ended(this);
        wait.decide(() -> {
            boolean cancelled = wait.state() == WaitState.CANCELLING;
            wait.enter(WaitState.ENDED);
            return () -> {
                ended.complete(null);
                tell.accept(cancelled);
            };
        });
    }

    /** Whether the request was answered since it was asked last: what it gets now is pushed. */
    public boolean isAnswered() {
        return answer.isDone();
    }

    /** Lets the caller wait while this goes on. */
    public void answerQueued(Outcome.Queued queued) {
        answer.complete(queued);
    }

    /** Whether the request is being cancelled: a step is to give back what it gets. */
    public boolean isCancelled() {
        return wait.state() == WaitState.CANCELLING;
    }

    /** The request. */
    public Acquire request() {
        return request;
    }

    /** When the request was made, on this process's monotonic clock. */
    public long startNanos() {
        return startNanos;
    }

    /** When it was asked last: from then on its caller counts a lease. */
    public long askedNanos() {
        return askedNanos;
    }

    /** Until when it is worth another step. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** The request as it is put to a node now: with the wait that is left, of a millisecond at least. */
    public Acquire forNode() {
        return request.mayWait()
                ? request.withWait(Duration.ofNanos(Math.max(1_000_000, deadlineNanos - time.nanoTime())))
                : request;
    }
}
