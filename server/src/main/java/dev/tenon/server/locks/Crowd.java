package dev.tenon.server.locks;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Limits;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what sessions have here, in all and by the API key that each was opened with, up to a limit. Thread-safe. */
public final class Crowd {
    private final AtomicInteger all = new AtomicInteger();
    private final Map<String, Integer> byKey = new ConcurrentHashMap<>();
    private final ProblemType problem;
    private final String what;
    private final int max;
    private final int maxPerKey;

    private Crowd(ProblemType problem, String what, int max, int maxPerKey) {
        this.problem = problem;
        this.what = what;
        this.max = max;
        this.maxPerKey = maxPerKey;
    }

    static Crowd ofSessions(Limits limits) {
        return new Crowd(
                ProblemType.TOO_MANY_SESSIONS,
                "sessions are open here; end those that are not needed (DELETE /v1/sessions/ID)",
                limits.sessions(),
                limits.sessionsPerKey());
    }

    static Crowd ofWaiters(Limits limits) {
        return new Crowd(
                ProblemType.TOO_MANY_WAITERS,
                "requests wait for locks here; ask again when some of them have ended",
                limits.waiters(),
                limits.waitersPerKey());
    }

    /**
     * One more.
     *
     * @throws ProblemException if that is one too many
     */
    void enter(String sessionId) {
        enterWith(Caller.keyOf(sessionId));
    }

    /**
     * One more.
     *
     * @param key its ID; empty: none was asked for
     * @throws ProblemException if that is one too many
     */
    public void enterWith(String key) {
        if (all.incrementAndGet() > max) {
            all.decrementAndGet();
            throw new ProblemException(problem, max + " " + what + ".");
        }
        if (!key.isEmpty() && byKey.merge(key, 1, Integer::sum) > maxPerKey) {
            leaveWith(key);
            throw new ProblemException(problem, "With your key, " + maxPerKey + " " + what + ".");
        }
    }

    /**
     * One more, if the request may wait.
     *
     * @return to be run when it waits no more
     * @throws ProblemException if that is one too many
     */
    Runnable enter(Acquire request) {
        if (!request.mayWait()) {
            return () -> {};
        }
        enter(request.sessionId());
        return () -> leave(request.sessionId());
    }

    /** One less. */
    void leave(String sessionId) {
        leaveWith(Caller.keyOf(sessionId));
    }

    /** One less, of those that {@link #enterWith} let in. */
    public void leaveWith(String key) {
        all.decrementAndGet();
        if (!key.isEmpty()) {
            byKey.computeIfPresent(key, (k, count) -> count > 1 ? count - 1 : null);
        }
    }
}
