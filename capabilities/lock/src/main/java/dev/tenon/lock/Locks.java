package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Session;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

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
    private static final System.Logger LOG = System.getLogger(Locks.class.getName());

    private final LockStore store;
    private final String owner;
    private final TimeSource time;
    private final ScheduledThreadPoolExecutor timers;
    private final LocalGates gates = new LocalGates();
    private final LockEvents events = new LockEvents(Callbacks.threads());
    private final Renewals renewals;
    private final Map<String, Acquisition> waiting = new ConcurrentHashMap<>();
    private final Map<ThreadOwnedLock.HoldKey, ThreadOwnedLock.Hold> threadHolds = new ConcurrentHashMap<>();
    private final Presence presence;
    private final AtomicLong requests = new AtomicLong();
    private final String requestPrefix = UUID.randomUUID().toString();
    private volatile boolean closed;

    private Locks(LockStore store, String owner, TimeSource time) {
        this.store = Objects.requireNonNull(store, "store");
        this.owner = Names.requireValid("lock owner", owner);
        this.time = Objects.requireNonNull(time, "time");
        this.timers = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-locks"));
        this.timers.setRemoveOnCancelPolicy(true);
        this.renewals = new Renewals(this, timers);
        this.presence = new Presence(this, owner);
    }

    /** Locks in {@code store}, owned by this process as {@code host/pid}. Closing them leaves the store open. */
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
        return new DistributedLock(this, Wish.of(name, LockMode.EXCLUSIVE, supported(options)));
    }

    /** The read-write lock of this name, held as {@link LockOptions#DEFAULT} says. No round trip. */
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, LockOptions.DEFAULT);
    }

    /** The read-write lock of this name. No round trip; throws as {@link #lock(String, LockOptions)} does. */
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        return new DistributedReadWriteLock(this, name, supported(options));
    }

    /** The semaphore of this name. No round trip. */
    public DistributedSemaphore semaphore(String name, int max) {
        return new DistributedSemaphore(this, name, max, supported(LockOptions.DEFAULT));
    }

    /**
     * The semaphore of this name. No round trip.
     *
     * @param max how many permits there are, 1 to {@value LockMode#PERMITS_MAX}
     */
    public DistributedSemaphore semaphore(String name, int max, LockOptions options) {
        return new DistributedSemaphore(this, name, max, supported(options));
    }

    /** These locks together, all or none. No round trip. */
    public DistributedMultiLock multiLock(Collection<String> names) {
        return multiLock(names, LockOptions.DEFAULT);
    }

    /** These locks together, all or none; 1 to 100 names. No round trip. */
    public DistributedMultiLock multiLock(Collection<String> names, LockOptions options) {
        return new DistributedMultiLock(this, names, supported(options));
    }

    /** A number of locks for any number of keys, 1 to {@value StripedLock#STRIPES_MAX}. No round trip. */
    public StripedLock stripedLock(String name, int stripes) {
        return new StripedLock(this, name, stripes, LockOptions.DEFAULT);
    }

    /**
     * A stock that is split in segments, each under a stripe of {@link #stripedLock} of this name. No round trip.
     *
     * @param segments where the numbers are kept
     */
    public SegmentedStock segmentedStock(String name, int count, SegmentedStock.Segments segments) {
        return new SegmentedStock(this, stripedLock(name, count), segments);
    }

    /** The election of this name. No round trip. */
    public Election election(String name) {
        return election(name, LockOptions.DEFAULT);
    }

    /** The election of this name: its lease is how soon a leader that died is replaced. No round trip. */
    public Election election(String name, LockOptions options) {
        return new Election(this, name, supported(options));
    }

    /** The barrier of this name, for 1 to {@value LockMode#PERMITS_MAX} parties and one round. No round trip. */
    public DistributedBarrier barrier(String name, int parties) {
        return new DistributedBarrier(this, name, parties);
    }

    /** The count-down latch of this name, for parties that are known by name. No round trip. */
    public DistributedLatch latch(String name) {
        return new DistributedLatch(this, name);
    }

    /** Locks by key, for code that knows only keys. No round trip. */
    public Locker locker() {
        return new Locker(this, LockOptions.DEFAULT);
    }

    /** Who holds a lock and who waits for it; empty if nobody does. One round trip. */
    public Optional<LockView> inspect(String name) {
        return join(store.inspect(Names.requireValid("lock name", name)));
    }

    /**
     * Whether {@code token} is one under which the lock is held now: the check that a resource can make for itself when
     * a caller shows it a token (Chubby's CheckSequencer). One round trip.
     *
     * <p>Where threads of another process hand the lock on among themselves, the tokens of all of them are valid for as
     * long as that process holds it: the store does not know which thread it is. Of this process only the present
     * holder's is. A {@link FencingGuard} tells them apart everywhere.
     */
    public boolean validate(String name, long token) {
        return inspect(name)
                .flatMap(view -> view.holderUnder(token))
                .filter(holder -> renewals.tokenOf(name, holder.token()).orElse(token) == token)
                .isPresent();
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
     * Takes a lock away from its holder, whoever that is; the holder loses its lease at its next renewal. Logged with
     * its reason (level INFO, under the name of this class).
     *
     * @param expectedToken under which it is held, by whichever thread of the process that holds it; nothing happens if
     *     it is held under another
     * @return the new floor: greater than the evicted token, smaller than every later one; empty if nothing happened
     */
    public Optional<Long> evict(String name, long expectedToken, String reason) {
        Optional<Long> floor = join(store.evict(
                Names.requireValid("lock name", name), expectedToken, Names.requireValid("reason", reason)));
        floor.ifPresent(f -> LOG.log(
                Level.INFO,
                "Lock \"{0}\" was taken from token {1} by {2}: {3}",
                name,
                Long.toString(expectedToken),
                owner,
                reason));
        return floor;
    }

    /**
     * Asks all who hold a lock to let go: {@link Lease#revokeAsked} of each completes. Nobody is made to.
     *
     * @param by who asks, for those who are asked
     * @return how many hold it
     */
    public int revoke(String name, String by) {
        return join(store.revoke(Names.requireValid("lock name", name), Names.requireValid("asker", by)));
    }

    /**
     * Tells what happens to the leases of this process from now on, of every kind of lock: for metrics, logs and
     * alarms. The events of one lease come in their order, one call at a time, on a thread that Tenon has for this;
     * what the listener throws goes to that thread's uncaught-exception handler.
     */
    public LockEvent.Subscription listen(Consumer<LockEvent> listener) {
        return events.listen(listener);
    }

    /** Releases all that is held through this object, ends all waits by {@link IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        gates.sendHome();
        waiting.values().forEach(Acquisition::abandon);
        renewals.close();
        presence.close();
        timers.shutdownNow();
    }

    boolean isClosed() {
        return closed;
    }

    Locks requireOpen() {
        if (closed) {
            throw closedException();
        }
        return this;
    }

    /** What is thrown to those who ask, and to those who wait, after the end. */
    IllegalStateException closedException() {
        return new IllegalStateException("These locks are closed");
    }

    Acquisition start(Wish wish, Duration wait) {
        Acquisition acquisition = new Acquisition(requireOpen(), wish, wait, null);
        acquisition.start();
        return acquisition;
    }

    /** Begins to replace a hold by one in another mode. */
    Acquisition convert(Lease held, LockMode mode, Duration wait) {
        LockMode from = held.wish().terms().mode();
        if (!held.isOf(this) || !from.convertsTo(mode)) {
            throw new IllegalArgumentException(held + " can't be converted from " + from.kind() + " to " + mode.kind());
        }
        Acquisition conversion = new Acquisition(this, held.wish().converting(mode, held.storeToken()), wait, held);
        held.converting(conversion);
        conversion.start();
        return conversion;
    }

    /** Replaces a hold by one in a weaker mode. */
    Lease weaken(Lease held, LockMode mode) {
        return join(convert(held, mode, Duration.ZERO).result())
                .orElseThrow(() -> new IllegalStateException(held + " was not weakened, which nothing can prevent"));
    }

    private LockOptions supported(LockOptions options) {
        if (options.lease().compareTo(store.traits().leastLease()) < 0) {
            throw new IllegalArgumentException(
                    "Lease " + options.lease() + " is shorter than the least one of this store: "
                            + store.traits().leastLease());
        }
        return options;
    }

    /** The session of this process, opened at its first use and again after a loss. */
    CompletableFuture<Session> session() {
        return presence.session();
    }

    /** Ends what belonged to a session that the store has ended. */
    void sessionLost(String sessionId) {
        presence.lost(sessionId);
    }

    CompletionStage<List<Released>> release(Release release) {
        return store.release(List.of(release));
    }

    /** Gives back what is still held of these, in one call. */
    CompletionStage<Void> releaseAll(List<Lease> leases) {
        List<Lease> held = leases.stream().filter(Lease::leave).toList();
        return held.isEmpty() ? CompletableFuture.completedFuture(null) : releaseLeft(held);
    }

    /** Tells the store of leases that have ended here, in one call. */
    CompletionStage<Void> releaseLeft(List<Lease> held) {
        List<Release> releases = held.stream().map(Lease::asRelease).toList();
        return store.release(releases).handle((released, failure) -> {
            held.forEach(lease -> lease.wish().leaveGate(this));
            if (failure != null) {
                throw new CompletionException(failure);
            }
            return null;
        });
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

    LockEvents events() {
        return events;
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
        } else if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known
                ? known
                : new BackendUnavailableException("The lock store failed: " + failure.getMessage(), failure);
    }
}
