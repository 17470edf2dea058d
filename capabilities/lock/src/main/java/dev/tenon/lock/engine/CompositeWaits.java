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
 * @param <W> the kind of them
 */
public final class CompositeWaits<W extends CompositeWait<?>> {
    private final Map<String, W> waits = new ConcurrentHashMap<>();
    private final SessionBook book;
    private final TimeSource time;
    private final Function<Acquire, W> make;

    /**
     * None yet.
     *
     * @param book whose sessions are told
     * @param make makes one
     */
    public CompositeWaits(SessionBook book, TimeSource time, Function<Acquire, W> make) {
        this.book = book;
        this.time = time;
        this.make = make;
    }

    /** Asks for a lock; a request that is under way is joined. */
    public CompletableFuture<Outcome> ask(Acquire request) {
        while (true) {
            W wait = waits.computeIfAbsent(request.requestId(), id -> make.apply(request));
            Optional<CompletableFuture<Outcome>> answer = wait.ask();
            if (answer.isPresent()) {
                return answer.get();
            }
            waits.remove(request.requestId(), wait);
        }
    }

    /** Gives a request up. Completes when no step of it is under way. */
    public CompletableFuture<Void> cancel(String requestId) {
        W wait = waits.get(requestId);
        return wait == null ? CompletableFuture.completedFuture(null) : wait.cancel();
    }

    /** A request that is under way. */
    public Optional<W> of(String requestId) {
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

    void ended(CompositeWait<?> wait) {
        waits.remove(wait.request().requestId(), wait);
    }

    SessionBook book() {
        return book;
    }

    TimeSource time() {
        return time;
    }
}
