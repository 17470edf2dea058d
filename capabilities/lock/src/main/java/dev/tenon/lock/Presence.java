package dev.tenon.lock;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The session of a process in its store, and who is told of what the store pushes to it. Thread-safe. */
final class Presence implements AutoCloseable {
    /** How long a session outlives its last sign of life, in stores that end sessions. */
    private static final Duration TTL = Duration.ofSeconds(30);

    private final Locks locks;
    private final String owner;
    private final AtomicReference<CompletableFuture<Session>> session = new AtomicReference<>();
    private volatile boolean closing;

    Presence(Locks locks, String owner) {
        this.locks = locks;
        this.owner = owner;
    }

    /** The session, opened at its first use and again after a loss. */
    CompletableFuture<Session> session() {
        CompletableFuture<Session> known = session.get();
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<Session> opening = new CompletableFuture<>();
        if (!session.compareAndSet(known, opening)) {
            return session();
        }
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), owner, TTL);
        locks.store().open(spec, new Events()).whenComplete((opened, failure) -> {
            if (failure != null) {
                opening.completeExceptionally(failure);
            } else {
                opening.complete(opened);
                locks.renewals().sessionOpened(opened);
            }
        });
        return opening;
    }

    /** Ends what belonged to a session that the store has ended. */
    void lost(String sessionId) {
        ended(sessionId, "the store has ended the session of this process");
    }

    private void ended(String sessionId, String why) {
        CompletableFuture<Session> known = session.get();
        if (known == null
                || !known.isDone()
                || known.isCompletedExceptionally()
                || !known.join().id().equals(sessionId)) {
            return;
        }
        if (session.compareAndSet(known, null)) {
            locks.renewals().loseAll(why);
            locks.waiting().values().forEach(Acquisition::restart);
        }
    }

    @Override
    public void close() {
        closing = true;
        CompletableFuture<Session> open = session.get();
        if (open != null && open.isDone() && !open.isCompletedExceptionally()) {
            CompletionStage<Void> answer =
                    locks.store().closeSession(open.join().id());
            // A store that is down frees what was held when the leases run out.
            answer.exceptionally(storeIsSilent -> null)
                    .toCompletableFuture()
                    .completeOnTimeout(null, 5, TimeUnit.SECONDS)
                    .join();
        }
    }

    private final class Events implements StoreEvents {
        @Override
        public void granted(Grant grant) {
            Acquisition acquisition = locks.waiting().get(grant.requestId());
            if (acquisition != null) {
                acquisition.granted(grant);
            }
        }

        @Override
        public void revokeAsked(Revocation revocation) {
            locks.renewals().revokeAsked(revocation);
        }

        @Override
        public void sessionLost(String sessionId) {
            lost(sessionId);
        }

        @Override
        public void sessionClosed(String sessionId) {
            if (!closing) {
                ended(sessionId, "somebody has closed the session of this process");
            }
        }

        @Override
        public void resync() {
            locks.waiting().values().forEach(Acquisition::ask);
        }
    }
}
