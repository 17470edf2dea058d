package dev.tenon.server.grpc;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.quota.Quotas;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sessions that were opened here over gRPC, and their requests that wait, within the limits for those of HTTP and
 * these together. A session counts until it is ended, lost, or no longer kept alive here (where the store ends none:
 * until its stream is over); a request until it is granted, called off, or has waited for as long as it would.
 * Thread-safe.
 */
final class ClientQuota {
    private static final long SWEEP_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<String, OpenSession> sessions = new HashMap<>();
    private final Map<WaitKey, Wait> waits = new HashMap<>();
    private final Quotas quotas;
    private final boolean sessionsExpire;
    private final TimeSource time;
    private long sweptNanos;

    private record OpenSession(String key, String stream, Duration ttl, long aliveNanos) {}

    private record WaitKey(String name, String requestId) {}

    private record Wait(String sessionId, String key, long untilNanos) {}

    /**
     * Nobody yet.
     *
     * @param sessionsExpire whether the store ends sessions that are not kept alive
     */
    ClientQuota(Quotas quotas, boolean sessionsExpire, TimeSource time) {
        this.quotas = quotas;
        this.sessionsExpire = sessionsExpire;
        this.time = time;
        this.sweptNanos = time.nanoTime() - SWEEP_PAUSE_NANOS;
    }

    /**
     * A session is about to be opened, perhaps once more.
     *
     * @param stream to which it belongs; empty: none
     * @throws ProblemException if that is one too many
     */
    void opens(SessionSpec spec, Caller who, String stream) {
        within(() -> {
            if (!sessions.containsKey(spec.id())) {
                enter(LimitedResource.SESSIONS, who.keyId());
            }
            sessions.put(spec.id(), new OpenSession(who.keyId(), stream, spec.ttl(), time.nanoTime()));
        });
    }

    /** A session was kept alive. */
    void alive(String sessionId) {
        within(() -> sessions.computeIfPresent(
                sessionId,
                (id, session) -> new OpenSession(session.key(), session.stream(), session.ttl(), time.nanoTime())));
    }

    /** A session is over, and with it all that it waits for. */
    void ended(String sessionId) {
        within(() -> {
            forget(sessionId);
            waits.entrySet().removeIf(wait -> wait.getValue().sessionId().equals(sessionId) && left(wait.getValue()));
        });
    }

    /** A stream is over. */
    void streamEnded(String stream) {
        if (!sessionsExpire) {
            within(() -> sessions.entrySet()
                    .removeIf(session -> session.getValue().stream().equals(stream) && left(session.getValue())));
        }
    }

    /**
     * A request is about to wait, unless it is granted at once.
     *
     * @throws ProblemException if that is one too many
     */
    void waits(Acquire request, Caller who) {
        if (!request.mayWait()) {
            return;
        }
        WaitKey key = new WaitKey(request.name(), request.requestId());
        long until = time.nanoTime() + request.waitTime().toNanos();
        within(() -> {
            if (!waits.containsKey(key)) {
                enter(LimitedResource.WAITERS, who.keyId());
            }
            waits.put(key, new Wait(request.sessionId(), who.keyId(), until));
        });
    }

    /** A request waits no more. */
    void waitsNoMore(String name, String requestId) {
        within(() -> {
            Wait gone = waits.remove(new WaitKey(name, requestId));
            if (gone != null) {
                left(gone);
            }
        });
    }

    private void within(Runnable work) {
        guard.lock();
        try {
            work.run();
        } finally {
            guard.unlock();
        }
    }

    private void enter(LimitedResource resource, String key) {
        try {
            quotas.enter(resource, key);
        } catch (ProblemException full) {
            if (!sweep()) {
                throw full;
            }
            quotas.enter(resource, key);
        }
    }

    /** Forgets those whose time is over; false: it is too soon to look again. */
    private boolean sweep() {
        long now = time.nanoTime();
        if (now - sweptNanos < SWEEP_PAUSE_NANOS) {
            return false;
        }
        sweptNanos = now;
        sessions.entrySet().removeIf(session -> isOver(session.getValue(), now) && left(session.getValue()));
        waits.entrySet().removeIf(wait -> now - wait.getValue().untilNanos() >= 0 && left(wait.getValue()));
        return true;
    }

    private boolean isOver(OpenSession session, long now) {
        return sessionsExpire && now - session.aliveNanos() >= session.ttl().toNanos();
    }

    private void forget(String sessionId) {
        OpenSession gone = sessions.remove(sessionId);
        if (gone != null) {
            left(gone);
        }
    }

    private boolean left(OpenSession session) {
        quotas.leave(LimitedResource.SESSIONS, session.key());
        return true;
    }

    private boolean left(Wait wait) {
        quotas.leave(LimitedResource.WAITERS, wait.key());
        return true;
    }
}
