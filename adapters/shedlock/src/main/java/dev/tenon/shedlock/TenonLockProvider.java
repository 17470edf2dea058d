package dev.tenon.shedlock;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * ShedLock's locks in a store of Tenon's. {@code lockAtMostFor}, one day at most, is the lease, which nothing but
 * {@code extend} renews and which the store's clock ends; an unlock before {@code lockAtLeastFor} is over shortens the
 * lease to what is left of that, else it is a release. It asks once, in one round trip, and does not wait, as ShedLock
 * does; a thread that has the lock is not given it again.
 *
 * <p>Locks are freed when the backend that the store is of is closed, as at the end of a process, though
 * {@code lockAtLeastFor} be not over. Where the store can't be reached, {@code lock} throws
 * {@link dev.tenon.BackendUnavailableException} or {@link dev.tenon.OutcomeUnknownException}, and the task does not
 * run. Thread-safe.
 */
public final class TenonLockProvider implements ExtensibleLockProvider, AutoCloseable {
    /** Nothing waits, so nothing is told. */
    private static final StoreEvents DEAF = new StoreEvents() {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void revokeAsked(Revocation revocation) {}

        @Override
        public void sessionLost(String sessionId) {}

        @Override
        public void resync() {}
    };

    private final LockStore store;
    private final TimeSource time;
    private final String owner = "shedlock:" + ProcessHandle.current().pid();
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable Session session;
    private long aliveNanos;

    private TenonLockProvider(LockStore store, TimeSource time) {
        this.store = Objects.requireNonNull(store, "store");
        this.time = time;
    }

    /**
     * A provider over the store of a backend, such as {@code JdbcBackend.lockStore()}, which its owner closes after
     * this.
     */
    public static TenonLockProvider over(LockStore store) {
        return new TenonLockProvider(store, TimeSource.system());
    }

    static TenonLockProvider over(LockStore store, TimeSource time) {
        return new TenonLockProvider(store, time);
    }

    /**
     * Asks once for the lock.
     *
     * @return empty if another task has it
     * @throws IllegalArgumentException if {@code lockAtMostFor} is more than a day
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration wish) {
        Outcome outcome = acquire(wish);
        if (outcome instanceof Outcome.NoSession) {
            forget(); // the store was away for longer than a session lives, or was wiped
            outcome = acquire(wish);
        }
        return outcome instanceof Outcome.Granted granted
                ? Optional.of(new Held(wish, granted.token()))
                : Optional.empty();
    }

    /** Frees what is still locked, and the session under it. Further locks open another one. Idempotent. */
    @Override
    public void close() {
        opening.lock();
        try {
            if (session != null) {
                join(store.closeSession(session.id()));
                session = null;
            }
        } finally {
            opening.unlock();
        }
    }

    private Outcome acquire(LockConfiguration wish) {
        Duration lease = wish.getLockAtMostFor();
        Acquire request =
                new Acquire(wish.getName(), sessionFor(lease), unique(), owner, Optional.of(lease), Duration.ZERO);
        return join(store.acquire(request));
    }

    /** A session that outlives the lease; nobody keeps it alive meanwhile. */
    private String sessionFor(Duration lease) {
        opening.lock();
        try {
            long now = time.nanoTime();
            Session open = session;
            boolean young = lease.plusNanos(now - aliveNanos).compareTo(SessionSpec.TTL_MAX) < 0;
            if (open == null || !young && !join(store.keepAlive(open.id()))) {
                open = join(store.open(new SessionSpec(unique(), owner, SessionSpec.TTL_MAX), DEAF));
                session = open;
                aliveNanos = now;
            } else if (!young) {
                aliveNanos = now;
            }
            return open.id();
        } finally {
            opening.unlock();
        }
    }

    private void forget() {
        opening.lock();
        try {
            session = null;
        } finally {
            opening.unlock();
        }
    }

    private static String unique() {
        return UUID.randomUUID().toString();
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof TenonException known ? known : e;
        }
    }

    /** A lock that is held. */
    private final class Held extends AbstractSimpleLock {
        private final long token;

        Held(LockConfiguration configuration, long token) {
            super(configuration);
            this.token = token;
        }

        @Override
        protected void doUnlock() {
            Duration keep = Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil());
            if (keep.isNegative() || keep.isZero()) {
                join(store.release(List.of(new Release(lockConfiguration.getName(), token))));
            } else {
                renew(keep);
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
            sessionFor(longer.getLockAtMostFor());
            return renew(longer.getLockAtMostFor()) ? Optional.of(new Held(longer, token)) : Optional.empty();
        }

        private boolean renew(Duration lease) {
            Renew renewal = new Renew(lockConfiguration.getName(), token, Optional.of(lease));
            return join(store.renew(List.of(renewal))).get(0) instanceof Renewed.Extended;
        }
    }
}
