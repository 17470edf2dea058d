package dev.tenon.server.locks;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView.HolderView;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.server.ServerBackend;
import dev.tenon.server.locks.AcquireAnswer.SessionGone;
import dev.tenon.server.locks.AcquireAnswer.Stopping;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks for clients that are not in this process. It receives every push of the store and completes the request that
 * waits for it; nothing polls. Refusals are {@link ProblemException}s. Nothing blocks; thread-safe.
 */
public final class LockDesk implements StoreEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LockDesk.class);
    private static final int EVICT_ATTEMPTS = 3;

    private final Map<WaitKey, LockWait> waits = new ConcurrentHashMap<>();
    private final Map<String, String> owners = new ConcurrentHashMap<>();
    private final Set<String> attached = ConcurrentHashMap.newKeySet();
    private final TokenOwners tokens = new TokenOwners();
    private final ScheduledThreadPoolExecutor scheduler;
    private final ServerBackend backend;
    private final LockStore store;
    private final TimeSource time;
    private volatile boolean stopping;

    /** A desk in front of a store. Close it before the store. */
    public LockDesk(ServerBackend backend, TimeSource time) {
        this.backend = backend;
        this.store = backend.lockStore();
        this.time = time;
        this.scheduler = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tenon-lock-waits");
            thread.setDaemon(true);
            return thread;
        });
        scheduler.setRemoveOnCancelPolicy(true);
    }

    private record WaitKey(String name, String requestId) {}

    /**
     * An acquire of one caller.
     *
     * @param answer how it ends
     * @param abandon to be run when the caller has gone away
     */
    public record Asked(CompletableFuture<AcquireAnswer> answer, Runnable abandon) {}

    /**
     * A lock that was taken away.
     *
     * @param owner who held it
     * @param token under which it was held
     * @param floor every later token is greater
     */
    public record Evicted(String owner, long token, long floor) {}

    /** Opens a session. */
    public CompletionStage<Session> open(SessionSpec spec) {
        owners.put(spec.id(), spec.owner());
        attached.add(spec.id());
        return store.open(spec, this).whenComplete((session, failure) -> {
            if (failure != null) {
                forget(spec.id());
            }
        });
    }

    /** Keeps a session alive; false: there is none. */
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return store.keepAlive(sessionId).whenComplete((alive, failure) -> {
            if (failure == null && !alive) {
                forget(sessionId);
            }
        });
    }

    /** Ends a session, with all that it holds and waits for. */
    public CompletionStage<Void> close(String sessionId) {
        return store.closeSession(sessionId).thenRun(() -> sessionLost(sessionId));
    }

    /** How a session calls itself. */
    public String ownerOf(String sessionId) {
        return owners.getOrDefault(sessionId, "session " + sessionId);
    }

    /** Takes a lock, waiting for it if need be. Repeating a request ID joins the request that has it. */
    public Asked acquire(Acquire request) {
        if (stopping) {
            return new Asked(CompletableFuture.completedFuture(new Stopping()), () -> {});
        }
        attach(request.sessionId());
        WaitKey key = new WaitKey(request.name(), request.requestId());
        LockWait fresh = new LockWait(request, store, scheduler, time, ended -> waits.remove(key, ended));
        LockWait wait = waits.computeIfAbsent(key, k -> fresh);
        if (!wait.isFor(request)) {
            throw new ProblemException(
                    ProblemType.REQUEST_ID_REUSED,
                    "Request ID \"" + request.requestId()
                            + "\" waits for this lock with another session or lease; choose a new one for each request.");
        }
        Optional<CompletableFuture<AcquireAnswer>> joined = wait.join();
        if (joined.isEmpty()) {
            return again(wait, request);
        }
        CompletableFuture<AcquireAnswer> answer = joined.get();
        if (wait == fresh) {
            wait.start();
        }
        CompletableFuture<AcquireAnswer> noted = answer.thenApply(a -> {
            if (a instanceof AcquireAnswer.Held held) {
                tokens.remember(request.name(), held.token(), request.sessionId());
            } else if (a instanceof SessionGone) {
                forget(request.sessionId());
            }
            return a;
        });
        return new Asked(noted, () -> wait.leave(answer));
    }

    private Asked again(LockWait ending, Acquire request) {
        CompletableFuture<Asked> next = ending.done().thenApply(v -> acquire(request));
        return new Asked(
                next.thenCompose(Asked::answer),
                () -> next.thenAccept(a -> a.abandon().run()));
    }

    /** Gives a lock back. */
    public CompletionStage<Released> release(String sessionId, Release release) {
        return owned(sessionId, release.name(), release.token())
                .thenCompose(ok -> ok
                        ? store.release(List.of(release)).thenApply(answers -> answers.get(0))
                        : CompletableFuture.completedStage(Released.NOT_HELD))
                .thenCompose(released -> {
                    tokens.forget(release.name(), release.token());
                    return released == Released.NOT_HELD
                            ? notHeld(sessionId, release.name(), release.token())
                            : CompletableFuture.completedStage(released);
                });
    }

    /** Extends a lease. */
    public CompletionStage<Renewed.Extended> renew(String sessionId, Renew renewal) {
        return owned(sessionId, renewal.name(), renewal.token())
                .thenCompose(ok -> ok
                        ? store.renew(List.of(renewal)).thenApply(answers -> answers.get(0))
                        : CompletableFuture.<Renewed>completedStage(new Renewed.NotHeld()))
                .thenCompose(renewed -> renewed instanceof Renewed.Extended extended
                        ? CompletableFuture.completedStage(extended)
                        : notHeld(sessionId, renewal.name(), renewal.token()));
    }

    /**
     * Takes a lock away from its holder.
     *
     * @param expectedToken only from a holder under this token; empty: whoever it is
     */
    public CompletionStage<Evicted> evict(String name, Optional<Long> expectedToken, String reason) {
        return evict(name, expectedToken, reason, EVICT_ATTEMPTS);
    }

    private CompletionStage<Evicted> evict(String name, Optional<Long> expected, String reason, int attempts) {
        return store.inspect(name).thenCompose(view -> {
            Optional<HolderView> holder =
                    view.flatMap(v -> v.holder()).filter(h -> expected.isEmpty() || expected.get() == h.token());
            if (holder.isEmpty() || attempts == 0) {
                return CompletableFuture.failedStage(new ProblemException(
                        ProblemType.LOCK_NOT_HELD,
                        "Nothing was taken away: nobody holds this lock"
                                + expected.map(t -> " under token " + t).orElse("") + "."));
            }
            HolderView h = holder.get();
            return store.evict(name, h.token(), reason).thenCompose(floor -> {
                if (floor.isEmpty()) {
                    return evict(name, expected, reason, attempts - 1); // it changed hands in between
                }
                LOG.info("Lock {} taken from {} (token {}): {}", name, h.owner(), h.token(), reason);
                return CompletableFuture.completedStage(new Evicted(h.owner(), h.token(), floor.get()));
            });
        });
    }

    @Override
    public void granted(Grant grant) {
        LockWait wait = waits.get(new WaitKey(grant.name(), grant.requestId()));
        // A grant that nobody waits for here is left to its claim lease: the client may be about to repeat its request.
        if (wait != null) {
            wait.granted(grant);
        }
    }

    @Override
    public void sessionLost(String sessionId) {
        forget(sessionId);
        waits.values().forEach(w -> {
            if (w.isOf(sessionId)) {
                w.end(new SessionGone());
            }
        });
    }

    @Override
    public void resync() {
        waits.values().forEach(LockWait::resync);
    }

    /** Tells every waiter that the server stops. Places in the queues, and leases, are kept by the store. */
    @Override
    public void close() {
        stopping = true;
        waits.values().forEach(w -> w.end(new Stopping()));
        scheduler.shutdownNow();
    }

    /** Has the events of a session that was opened before this process sent here. */
    private void attach(String sessionId) {
        if (attached.add(sessionId)) {
            backend.attach(sessionId, this).whenComplete((found, failure) -> {
                if (failure != null || !found) {
                    attached.remove(sessionId);
                }
            });
        }
    }

    private void forget(String sessionId) {
        owners.remove(sessionId);
        attached.remove(sessionId);
    }

    /** Whether a session may act under a token, as far as that can be told without acting. */
    private CompletionStage<Boolean> owned(String sessionId, String name, long token) {
        Optional<String> known = tokens.sessionOf(name, token);
        if (known.isPresent()) {
            return CompletableFuture.completedStage(known.get().equals(sessionId));
        }
        return store.inspect(name)
                .thenApply(view -> view.flatMap(v -> v.holder())
                        .filter(h -> h.token() == token && h.sessionId().equals(sessionId))
                        .isPresent());
    }

    private <T> CompletionStage<T> notHeld(String sessionId, String name, long token) {
        return store.keepAlive(sessionId)
                .thenCombine(store.inspect(name), (alive, view) -> {
                    if (!alive) {
                        return new ProblemException(
                                ProblemType.UNKNOWN_SESSION,
                                "There is no session \"" + sessionId
                                        + "\" (any more), and with it went what it held. Open a new one: POST /v1/sessions.");
                    }
                    String holder = view.flatMap(v -> v.holder())
                            .map(h -> "it is held by " + h.owner() + " under token " + h.token())
                            .orElse("nobody holds it");
                    return new ProblemException(
                            ProblemType.LOCK_NOT_HELD,
                            "The lock is not held by this session under token " + token + "; " + holder
                                    + ". Stop acting under that token.");
                })
                .thenCompose(CompletableFuture::failedStage);
    }
}
