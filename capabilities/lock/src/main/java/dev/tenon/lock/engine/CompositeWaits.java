package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The requests under way of a store that is made of several, by their IDs. Thread-safe.
 *
 * @param <G> what a node tells when it hands a lock over
 */
public final class CompositeWaits<G> {
    private final Map<String, CompositeWait<G>> waits = new ConcurrentHashMap<>();
    private final SessionBook book;
    private final TimeSource time;
    private final Function<CompositeWait<G>, CompositeWait.Strategy<G>> strategy;

    /**
     * None yet.
     *
     * @param book whose sessions are told
     * @param strategy says what the steps of a request are
     */
    public CompositeWaits(
            SessionBook book, TimeSource time, Function<CompositeWait<G>, CompositeWait.Strategy<G>> strategy) {
        this.book = book;
        this.time = time;
        this.strategy = strategy;
    }

    /** Asks for a lock; a request that is under way is joined. */
    public CompletableFuture<Outcome> ask(Acquire request) {
        while (true) {
            CompositeWait<G> wait =
                    waits.computeIfAbsent(request.requestId(), id -> new CompositeWait<>(this, request, strategy));
            Optional<CompletableFuture<Outcome>> answer = wait.ask();
            if (answer.isPresent()) {
                return answer.get();
            }
            waits.remove(request.requestId(), wait);
        }
    }

    /** Gives a request up. Completes when no step of it is under way. */
    public CompletableFuture<Void> cancel(String requestId) {
        CompositeWait<G> wait = waits.get(requestId);
        return wait == null ? CompletableFuture.completedFuture(null) : wait.cancel();
    }

    /** A request that is under way. */
    public Optional<CompositeWait<G>> of(String requestId) {
        return Optional.ofNullable(waits.get(requestId));
    }

    /** The requests of a session. */
    public List<Acquire> ofSession(String sessionId) {
        return waits.values().stream()
                .map(CompositeWait::request)
                .filter(request -> request.sessionId().equals(sessionId))
                .toList();
    }

    /** Forgets a request. */
    public void remove(String requestId) {
        waits.remove(requestId);
    }

    /** Forgets those that wait no more. */
    public void runOnce() {
        long now = time.nanoTime();
        waits.values().removeIf(wait -> wait.isOver(now));
    }

    void ended(CompositeWait<G> wait) {
        waits.remove(wait.request().requestId(), wait);
    }

    SessionBook book() {
        return book;
    }

    TimeSource time() {
        return time;
    }
}
