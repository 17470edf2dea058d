package dev.tenon.raft;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@link MultiLockStore} in the replicated log: the lock table itself, with the time and the index of the log as its
 * clock and its tokens. Stages complete on the thread that applies the log. Thread-safe.
 */
public final class RaftLockStore implements MultiLockStore {
    private static final int PAGE_MAX = 1000;
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.LOG_INDEX, StoreTraits.Push.PUSHED, true, true, Duration.ofMillis(1));

    private final Set<String> openedHere = ConcurrentHashMap.newKeySet();
    private final CommandLog log;
    private final SessionEvents events;

    RaftLockStore(CommandLog log, SessionEvents events) {
        this.log = log;
        this.events = events;
        events.whenEnded(openedHere::remove);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents receiver) {
        events.attach(spec.id(), receiver);
        boolean first = openedHere.add(spec.id());
        return log.submit(new LockCommand.OpenSession(spec)).whenComplete((session, error) -> {
            Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            if (first && cause != null && !(cause instanceof OutcomeUnknownException)) {
                // It never began, and so has no end at which it would be forgotten.
                events.detach(spec.id(), receiver);
                openedHere.remove(spec.id());
            } else {
                events.known(spec.id(), receiver);
            }
        });
    }

    /**
     * Sends the events of a session that is open in the log to {@code receiver} from now on: for a client whose session
     * has outlived the process that opened it. It does not keep the session alive.
     *
     * @return whether there is such a session; if not, {@code receiver} is told nothing
     */
    public CompletionStage<Boolean> attach(String sessionId, StoreEvents receiver) {
        events.attach(sessionId, receiver);
        return log.submit(new LockCommand.FindSession(sessionId)).whenComplete((found, error) -> {
            if (error != null || !found) {
                events.detach(sessionId, receiver);
            } else {
                events.known(sessionId, receiver);
            }
        });
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return log.submit(new LockCommand.KeepAlive(sessionId));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return log.submit(new LockCommand.CloseSession(sessionId)).thenAccept(closed -> {
            if (!closed) { // else the log tells every node of its end
                events.detach(sessionId);
                openedHere.remove(sessionId);
            }
        });
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        return log.submit(new LockCommand.AcquireLock(request));
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        return log.submit(new LockCommand.AcquireLocks(MultiLockStore.requireTogether(requests)));
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return log.submit(new LockCommand.ReleaseLocks(releases));
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return log.submit(new LockCommand.RenewLocks(renewals));
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return log.submit(new LockCommand.CancelWait(request));
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return log.submit(new LockCommand.InspectLock(name));
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        if (limit < 1 || limit > PAGE_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("Limit must be between 1 and " + PAGE_MAX + ": " + limit));
        }
        return log.submit(new LockCommand.ListLocks(prefix, after, limit));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return log.submit(new LockCommand.EvictLock(name, expectedToken, reason));
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return log.submit(new LockCommand.RevokeLock(name, by));
    }

    /**
     * Ends every session that was opened through this object. {@link RaftBackend#close} does not: there the sessions
     * live on in the log, for their clients to use after a restart.
     */
    @Override
    public void close() {
        CompletableFuture.allOf(openedHere.stream()
                        .map(id -> closeSession(id).toCompletableFuture().exceptionally(error -> null))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }
}
