package dev.tenon.testkit;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps everything that a store tells a session, and waits for it. Thread-safe. */
public final class RecordedEvents implements StoreEvents {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition told = lock.newCondition();
    private final List<Grant> grants = new CopyOnWriteArrayList<>();
    private final List<Revocation> revocations = new CopyOnWriteArrayList<>();
    private final List<String> lostSessions = new CopyOnWriteArrayList<>();
    private final List<String> closedSessions = new CopyOnWriteArrayList<>();

    @Override
    public void granted(Grant grant) {
        lock.lock();
        try {
            grants.add(grant);
            told.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        revocations.add(revocation);
    }

    @Override
    public void sessionLost(String sessionId) {
        lostSessions.add(sessionId);
    }

    @Override
    public void sessionClosed(String sessionId) {
        closedSessions.add(sessionId);
    }

    @Override
    public void resync() {}

    /** The grant of a request, if it was told. */
    public Optional<Grant> grantOf(String requestId) {
        return grants.stream().filter(g -> g.requestId().equals(requestId)).findFirst();
    }

    /** Waits for the grant of a request; fails the test after {@code atMost}. */
    public Grant awaitGrantOf(String requestId, Duration atMost) {
        long left = atMost.toNanos();
        lock.lock();
        try {
            Optional<Grant> grant = grantOf(requestId);
            while (grant.isEmpty()) {
                if (left <= 0) {
                    throw new AssertionError("no grant of " + requestId + " in " + atMost);
                }
                left = told.awaitNanos(left);
                grant = grantOf(requestId);
            }
            return grant.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a grant", e);
        } finally {
            lock.unlock();
        }
    }

    /** Everything granted so far, in the order of telling. */
    public List<Grant> grants() {
        return List.copyOf(grants);
    }

    /** Every wish to let go, in the order of telling. */
    public List<Revocation> revocations() {
        return List.copyOf(revocations);
    }

    /** Every session that was reported as lost. */
    public List<String> lostSessions() {
        return List.copyOf(lostSessions);
    }

    /** Every session that was reported as closed. */
    public List<String> closedSessions() {
        return List.copyOf(closedSessions);
    }
}
