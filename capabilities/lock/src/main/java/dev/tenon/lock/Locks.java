package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The locks of one store, as one process uses them: one session, one renewal loop, one line of local threads per name.
 * A backend makes one for its store; share it, as two of them in one process compete like two processes. Thread-safe.
 *
 * <pre>{@code
 * try (Lease lease = locks.lock("stock:42").acquire(Duration.ofSeconds(5))) {
 *     orders.save(order, lease.token());
 * }
 * }</pre>
 */
public final class Locks implements AutoCloseable {
    /** How long a session of this process outlives its last sign of life, in stores that end sessions. */
    static final Duration SESSION_TTL = Duration.ofSeconds(30);

    private final LockStore store;
    private final String owner;
    private final TimeSource time;
    private final ScheduledThreadPoolExecutor timers;
    private final LocalGates gates = new LocalGates();
    private final Renewals renewals;
    private final Map<String, Acquisition> waiting = new ConcurrentHashMap<>();
    private final Map<ThreadOwnedLock.HoldKey, ThreadOwnedLock.Hold> threadHolds = new ConcurrentHashMap<>();
    private final AtomicReference<CompletableFuture<Session>> session = new AtomicReference<>();
    private final AtomicLong requests = new AtomicLong();
    private final String requestPrefix = UUID.randomUUID().toString();
    private volatile boolean closed;

    private Locks(LockStore store, String owner, TimeSource time) {
        this.store = Objects.requireNonNull(store, "store");
        this.owner = Names.requireValid("lock owner", owner);
        this.time = Objects.requireNonNull(time, "time");
        this.timers = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tenon-locks");
            thread.setDaemon(true);
            return thread;
        });
        this.timers.setRemoveOnCancelPolicy(true);
        this.renewals = new Renewals(this, timers);
    }

    /** Locks in {@code store}, owned by this process under the name {@code host/pid}. Closing them leaves the store open. */
    public static Locks over(LockStore store) {
        return over(store, ProcessName.current(), TimeSource.system());
    }

    /**
     * Locks in {@code store}.
     *
     * @param owner who this process is, for people who look who holds a lock
     * @param time the clock for leases
     */
    public static Locks over(LockStore store, String owner, TimeSource time) {
        return new Locks(store, owner, time);
    }

    /** The lock of this name, held as {@link LockOptions#DEFAULT} says. No round trip. */
    public DistributedLock lock(String name) {
        return lock(name, LockOptions.DEFAULT);
    }

    /**
     * The lock of this name. No round trip.
     *
     * @throws IllegalArgumentException if the name is not one ({@link Names}) or the store can't give so short a lease
     */
    public DistributedLock lock(String name, LockOptions options) {
        if (options.lease().compareTo(store.traits().leastLease()) < 0) {
            throw new IllegalArgumentException(
                    "Lease " + options.lease() + " is shorter than the least one of this store: "
                            + store.traits().leastLease());
        }
        return new DistributedLock(this, name, options);
    }

    /** Who holds a lock and who waits for it; empty if nobody does. One round trip. */
    public Optional<LockView> inspect(String name) {
        return join(store.inspect(Names.requireValid("lock name", name)));
    }

    /**
     * Whether {@code token} is the one under which the lock is held now: the check that a resource can make for itself
     * when a caller shows it a token (Chubby's CheckSequencer). One round trip.
     */
    public boolean validate(String name, long token) {
        return inspect(name).filter(view -> view.isHeldUnder(token)).isPresent();
    }

    /**
     * Locks that are held or waited for, in ascending order of their names.
     *
     * @param prefix only names that start with it; empty: all
     * @param after only names greater than this, for the next page; empty: from the start
     * @param limit most locks in the page, 1 to 1000
     */
    public LockPage list(String prefix, String after, int limit) {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("Limit must be between 1 and 1000: " + limit);
        }
        return join(store.list(prefix, after, limit));
    }

    /**
     * Takes a lock away from its holder, whoever that is; the holder loses its lease at its next renewal.
     *
     * @param expectedToken under which it is held; nothing happens if it is held under another
     * @return the new floor: greater than the evicted token, smaller than every later one; empty if nothing happened
     */
    public Optional<Long> evict(String name, long expectedToken, String reason) {
        return join(store.evict(
                Names.requireValid("lock name", name), expectedToken, Names.requireValid("reason", reason)));
    }

    /** Gives back everything that is held through this object. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        waiting.values().forEach(Acquisition::abandon);
        renewals.close();
        CompletableFuture<Session> open = session.get();
        if (open != null && open.isDone() && !open.isCompletedExceptionally()) {
            CompletionStage<Void> answer = store.closeSession(open.join().id());
            // A store that is down frees what was held when the leases run out.
            answer.exceptionally(storeIsSilent -> null)
                    .toCompletableFuture()
                    .completeOnTimeout(null, 5, TimeUnit.SECONDS)
                    .join();
        }
        timers.shutdownNow();
    }

    Acquisition start(String name, LockOptions options, Duration wait) {
        if (closed) {
            throw new IllegalStateException("These locks are closed");
        }
        Acquisition acquisition = new Acquisition(this, name, options, wait);
        acquisition.start();
        return acquisition;
    }

    /** The session of this process, opened at its first use and again after a loss. */
    CompletableFuture<Session> session() {
        CompletableFuture<Session> known = session.get();
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<Session> opening = new CompletableFuture<>();
        if (!session.compareAndSet(known, opening)) {
            return session();
        }
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), owner, SESSION_TTL);
        store.open(spec, new Events()).whenComplete((opened, failure) -> {
            if (failure != null) {
                opening.completeExceptionally(failure);
            } else {
                opening.complete(opened);
                renewals.sessionOpened(opened);
            }
        });
        return opening;
    }

    /** Ends what belonged to a session that the store has ended. */
    void sessionLost(String sessionId) {
        CompletableFuture<Session> known = session.get();
        if (known == null
                || !known.isDone()
                || known.isCompletedExceptionally()
                || !known.join().id().equals(sessionId)) {
            return;
        }
        if (session.compareAndSet(known, null)) {
            renewals.loseAll("the store has ended the session of this process");
            waiting.values().forEach(Acquisition::restart);
        }
    }

    CompletionStage<List<Released>> release(Release release) {
        return store.release(List.of(release));
    }

    String nextRequestId() {
        return requestPrefix + "-" + Long.toString(requests.incrementAndGet(), Character.MAX_RADIX);
    }

    String ownerOf(Thread thread) {
        return ProcessName.withThread(owner, thread);
    }

    LockStore store() {
        return store;
    }

    TimeSource time() {
        return time;
    }

    LocalGates gates() {
        return gates;
    }

    Renewals renewals() {
        return renewals;
    }

    Map<String, Acquisition> waiting() {
        return waiting;
    }

    Map<ThreadOwnedLock.HoldKey, ThreadOwnedLock.Hold> threadHolds() {
        return threadHolds;
    }

    ScheduledThreadPoolExecutor timers() {
        return timers;
    }

    static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw unchecked(e.getCause() == null ? e : e.getCause());
        }
    }

    static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof CompletionException && failure.getCause() != null) {
            return unchecked(failure.getCause());
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known
                ? known
                : new BackendUnavailableException("The lock store failed: " + failure.getMessage(), failure);
    }

    private final class Events implements StoreEvents {
        @Override
        public void granted(Grant grant) {
            Acquisition acquisition = waiting.get(grant.requestId());
            if (acquisition != null) {
                acquisition.granted(grant);
            }
        }

        @Override
        public void sessionLost(String sessionId) {
            Locks.this.sessionLost(sessionId);
        }

        @Override
        public void resync() {
            waiting.values().forEach(Acquisition::ask);
        }
    }
}
