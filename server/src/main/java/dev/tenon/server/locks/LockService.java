package dev.tenon.server.locks;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.locks.AcquireAnswer.SessionGone;
import dev.tenon.server.locks.AcquireAnswer.Stopping;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.quota.Quotas;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks for clients that are not in this process. It receives every push of the store and completes the request that
 * waits for it; nothing polls. Refusals are {@link ProblemException}s. Nothing blocks; thread-safe.
 */
public final class LockService implements StoreEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LockService.class);
    private static final int EVICT_ATTEMPTS = 3;
    private static final long SESSION_CHECK_MILLIS = 200;

    private final OpenWaits waits = new OpenWaits();
    private final Map<String, String> owners = new ConcurrentHashMap<>();
    private final Quotas quotas;
    private final Set<String> attached = ConcurrentHashMap.newKeySet();
    private final TokenOwners tokens = new TokenOwners();
    private final ScheduledThreadPoolExecutor scheduler;
    private final ServerBackend backend;
    private final LockStore store;
    private final TimeSource time;
    private final boolean local;
    private final boolean severalNodes;
    private final LocalSessions sessions;
    private final SessionIds ids;
    private final Ownership ownership;
    private volatile boolean stopping;

    /** The locks of a store, within the limits that a server has by default. Close it before the store. */
    public LockService(ServerBackend backend, TimeSource time) {
        this(backend, time, Quotas.within(Limits.DEFAULT));
    }

    /** The locks of a store. Close it before the store. */
    public LockService(ServerBackend backend, TimeSource time, Quotas quotas) {
        this.quotas = quotas;
        this.backend = backend;
        this.store = backend.lockStore();
        this.time = time;
        this.local = !store.traits().sessionsExpire();
        this.severalNodes = backend.cluster().filter(ClusterAdmin::takesMembers).isPresent();
        this.sessions = new LocalSessions(time);
        this.ids = new SessionIds(local);
        this.ownership = new Ownership(store, tokens, ids);
        this.scheduler = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-lock-waits"));
        scheduler.setRemoveOnCancelPolicy(true);
        if (local) {
            scheduler.scheduleWithFixedDelay(
                    this::runOnce, SESSION_CHECK_MILLIS, SESSION_CHECK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * An acquire of one caller.
     *
     * @param answer how it ends
     * @param abandon to be run when the caller has gone away
     * @param elsewhere whether the caller may have gone to another node with the same request: what it got is then its
     *     own there
     */
    public record PendingAcquire(CompletableFuture<AcquireAnswer> answer, Runnable abandon, boolean elsewhere) {
        PendingAcquire(AcquireAnswer answer) {
            this(CompletableFuture.completedFuture(answer), () -> {}, false);
        }
    }

    /**
     * A lock that was taken away.
     *
     * @param owner who held it
     * @param token under which it was held
     * @param floor every later token is greater
     */
    public record Evicted(String owner, long token, long floor) {}

    /** The ID of a session to be opened. */
    public String newSessionId() {
        return ids.next();
    }

    /**
     * Opens a session.
     *
     * @throws ProblemException if too many are open
     */
    public CompletionStage<Session> open(SessionSpec spec) {
        quotas.enter(LimitedResource.SESSIONS, Caller.keyOf(spec.id()));
        owners.put(spec.id(), spec.owner());
        attached.add(spec.id());
        sessions.open(spec);
        return store.open(spec, this).whenComplete((session, failure) -> {
            if (failure != null) {
                forget(spec.id());
            }
        });
    }

    /** Keeps a session alive; false: there is none. */
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        if (local) {
            return keepLocalAlive(sessionId);
        }
        return store.keepAlive(sessionId).whenComplete((alive, failure) -> {
            if (failure == null && !alive) {
                forget(sessionId);
            }
        });
    }

    private CompletionStage<Boolean> keepLocalAlive(String sessionId) {
        Optional<List<Renew>> following = sessions.keepAlive(sessionId);
        if (following.isEmpty() || following.get().isEmpty()) {
            return CompletableFuture.completedStage(following.isPresent());
        }
        List<Renew> renewals = following.get();
        return store.renew(renewals).thenApply(answers -> {
            for (int i = 0; i < renewals.size(); i++) {
                if (answers.get(i) instanceof Renewed.NotHeld) {
                    Renew gone = renewals.get(i);
                    sessions.followsNoMore(sessionId, gone.name(), gone.token());
                }
            }
            return true;
        });
    }

    /** Ends a session, with all that it holds and waits for. */
    public CompletionStage<Void> close(String sessionId) {
        if (ids.elsewhere(sessionId)) {
            return CompletableFuture.failedStage(unknownSession(sessionId));
        }
        sessions.forget(sessionId);
        return store.closeSession(sessionId).thenRun(() -> sessionLost(sessionId));
    }

    /** Ends the sessions whose time is over, where the store does not do so. */
    void runOnce() {
        for (String sessionId : sessions.expired()) {
            close(sessionId).exceptionally(failure -> {
                // What it held ends with its leases.
                LOG.debug("Session {} has ended, and closing it in the store failed", sessionId, failure);
                return null;
            });
        }
    }

    /** The session is unknown, at least not here. */
    public ProblemException unknownSession(String sessionId) {
        return ids.unknown(sessionId);
    }

    /** Whether sessions, and their places in queues, outlive this process. */
    public boolean keepsPlaces() {
        return !local;
    }

    /** How a session calls itself. */
    public String ownerOf(String sessionId) {
        return owners.getOrDefault(sessionId, "session " + sessionId);
    }

    /** As {@link #acquire(Acquire, boolean)}, with a request ID of the caller's own. */
    public PendingAcquire acquire(Acquire asked) {
        return acquire(asked, true);
    }

    /**
     * Takes a lock, waiting for it if need be. Repeating a request ID joins the request that has it, at any node.
     *
     * @param repeatable whether the caller knows the request ID, and may ask again by it
     */
    public PendingAcquire acquire(Acquire asked, boolean repeatable) {
        if (stopping) {
            return new PendingAcquire(new Stopping());
        }
        boolean follows = local && asked.lease().isEmpty();
        Acquire request = asked;
        if (local) {
            Optional<Acquire> leased = sessions.leased(asked);
            if (leased.isEmpty()) {
                return new PendingAcquire(new SessionGone());
            }
            request = leased.get();
        } else {
            attach(asked.sessionId());
        }
        return acquire(request, follows, repeatable && severalNodes);
    }

    private PendingAcquire acquire(Acquire request, boolean follows, boolean elsewhere) {
        Runnable leaves = request.mayWait() ? quotas.waiter(Caller.keyOf(request.sessionId())) : () -> {};
        LockWait.Means means = new LockWait.Means(store, scheduler, time);
        LockWait fresh = new LockWait(request, elsewhere, means, ended -> {
            if (waits.leave(ended)) {
                leaves.run();
            }
        });
        LockWait wait = waits.enter(fresh);
        if (wait != fresh) {
            leaves.run();
        }
        if (!wait.isFor(request)) {
            throw new ProblemException(
                    ProblemType.REQUEST_ID_REUSED,
                    "This request ID waits for this lock with another session, lease or mode; choose a new one for each"
                            + " request.");
        }
        Optional<CompletableFuture<AcquireAnswer>> joined = wait.join();
        if (joined.isEmpty()) {
            return again(wait, () -> acquire(request, follows, elsewhere), elsewhere);
        }
        CompletableFuture<AcquireAnswer> answer = joined.get();
        if (wait == fresh) {
            wait.start();
        }
        CompletableFuture<AcquireAnswer> noted = answer.thenApply(a -> {
            if (a instanceof AcquireAnswer.Held held) {
                tokens.remember(request.name(), held.token(), request.sessionId());
                if (follows) {
                    sessions.follows(request.sessionId(), request.name(), held.token());
                }
            } else if (a instanceof SessionGone) {
                forget(request.sessionId());
            }
            return a;
        });
        return new PendingAcquire(noted, () -> wait.leave(answer), elsewhere);
    }

    private PendingAcquire again(LockWait ending, Supplier<PendingAcquire> acquire, boolean elsewhere) {
        CompletableFuture<PendingAcquire> next = ending.done().thenApply(v -> acquire.get());
        return new PendingAcquire(
                next.thenCompose(PendingAcquire::answer),
                () -> next.thenAccept(a -> a.abandon().run()),
                elsewhere);
    }

    /** Gives a lock back. */
    public CompletionStage<Released> release(String sessionId, Release release) {
        return ownership
                .allows(sessionId, release.name(), release.token())
                .thenCompose(ok -> ok
                        ? store.release(List.of(release)).thenApply(answers -> answers.get(0))
                        : CompletableFuture.completedStage(Released.NOT_HELD))
                .thenCompose(released -> {
                    tokens.forget(release.name(), release.token());
                    sessions.followsNoMore(sessionId, release.name(), release.token());
                    return released == Released.NOT_HELD
                            ? ownership.refused(sessionId, release.name(), release.token())
                            : CompletableFuture.completedStage(released);
                });
    }

    /** Extends a lease. */
    public CompletionStage<Renewed.Extended> renew(String sessionId, Renew asked) {
        if (!local) {
            return renewNow(sessionId, asked);
        }
        boolean follows = asked.lease().isEmpty();
        Optional<Duration> lease = follows ? sessions.ttl(sessionId) : asked.lease();
        if (lease.isEmpty()) {
            return CompletableFuture.failedStage(unknownSession(sessionId));
        }
        return renewNow(sessionId, new Renew(asked.name(), asked.token(), lease))
                .thenApply(extended -> {
                    if (follows) {
                        sessions.follows(sessionId, asked.name(), asked.token());
                    } else {
                        sessions.followsNoMore(sessionId, asked.name(), asked.token());
                    }
                    return extended;
                });
    }

    private CompletionStage<Renewed.Extended> renewNow(String sessionId, Renew renewal) {
        return ownership
                .allows(sessionId, renewal.name(), renewal.token())
                .thenCompose(ok -> ok
                        ? store.renew(List.of(renewal)).thenApply(answers -> answers.get(0))
                        : CompletableFuture.<Renewed>completedStage(new Renewed.NotHeld()))
                .thenCompose(renewed -> renewed instanceof Renewed.Extended extended
                        ? CompletableFuture.completedStage(extended)
                        : ownership.refused(sessionId, renewal.name(), renewal.token()));
    }

    /**
     * Takes a lock away from its holder.
     *
     * @param expectedToken only from a holder under this token, or whose grant it came with; empty: whoever it is
     */
    public CompletionStage<Evicted> evict(String name, Optional<Long> expectedToken, String reason) {
        return new Eviction(store, name, expectedToken, reason).run(EVICT_ATTEMPTS);
    }

    @Override
    public void granted(Grant grant) {
        // A grant that nobody waits for here is left to its claim lease: the client may be about to repeat its request.
        waits.of(grant.name(), grant.requestId()).ifPresent(wait -> wait.granted(grant));
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        // The answer to the holder's next renewal says so: a client that is not in this process has no line for a push.
    }

    @Override
    public void sessionLost(String sessionId) {
        forget(sessionId);
        waits.ofSession(sessionId).forEach(wait -> wait.end(new SessionGone()));
    }

    @Override
    public void resync() {
        waits.all().forEach(LockWait::resync);
    }

    /** Tells every waiter that the server stops. Places in the queues, and leases, are kept by the store. */
    @Override
    public void close() {
        stopping = true;
        waits.all().forEach(w -> {
            if (local) {
                w.withdraw(); // its session ends with this process, and nobody would claim its turn
            }
            w.end(new Stopping());
        });
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
        sessions.forget(sessionId);
        if (owners.remove(sessionId) != null) {
            quotas.leave(LimitedResource.SESSIONS, Caller.keyOf(sessionId));
        }
        attached.remove(sessionId);
    }
}
