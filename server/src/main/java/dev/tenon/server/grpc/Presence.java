package dev.tenon.server.grpc;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Resource;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.quota.Quotas;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sessions that were opened here over gRPC, and their requests that wait, within the limits for those of HTTP and these
 * together. A session counts until it is ended, lost, or no longer kept alive here (where the store ends none: until its stream
 * is over); a request until it is granted, called off, or has waited for as long as it would. Thread-safe.
 */
final class Presence {
    private static final long SWEEP_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<String, Guest> guests = new HashMap<>();
    private final Map<Wish, Wait> waits = new HashMap<>();
    private final Quotas quotas;
    private final boolean sessionsExpire;
    private final TimeSource time;
    private long sweptNanos;

    private record Guest(String key, String stream, Duration ttl, long aliveNanos) {}

    private record Wish(String name, String requestId) {}

    private record Wait(String sessionId, String key, long untilNanos) {}

    /**
     * Nobody yet.
     *
     * @param sessionsExpire whether the store ends sessions that are not kept alive
     */
    Presence(Quotas quotas, boolean sessionsExpire, TimeSource time) {
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
            if (!guests.containsKey(spec.id())) {
                enter(Resource.SESSIONS, who.keyId());
            }
            guests.put(spec.id(), new Guest(who.keyId(), stream, spec.ttl(), time.nanoTime()));
        });
    }

    /** A session was kept alive. */
    void alive(String sessionId) {
        within(() -> guests.computeIfPresent(
                sessionId, (id, guest) -> new Guest(guest.key(), guest.stream(), guest.ttl(), time.nanoTime())));
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
            within(() -> guests.entrySet()
                    .removeIf(guest -> guest.getValue().stream().equals(stream) && left(guest.getValue())));
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
        Wish wish = new Wish(request.name(), request.requestId());
        long until = time.nanoTime() + request.waitTime().toNanos();
        within(() -> {
            if (!waits.containsKey(wish)) {
                enter(Resource.WAITERS, who.keyId());
            }
            waits.put(wish, new Wait(request.sessionId(), who.keyId(), until));
        });
    }

    /** A request waits no more. */
    void waitsNoMore(String name, String requestId) {
        within(() -> {
            Wait gone = waits.remove(new Wish(name, requestId));
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

    private void enter(Resource resource, String key) {
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
        guests.entrySet().removeIf(guest -> isOver(guest.getValue(), now) && left(guest.getValue()));
        waits.entrySet().removeIf(wait -> now - wait.getValue().untilNanos() >= 0 && left(wait.getValue()));
        return true;
    }

    private boolean isOver(Guest guest, long now) {
        return sessionsExpire && now - guest.aliveNanos() >= guest.ttl().toNanos();
    }

    private void forget(String sessionId) {
        Guest gone = guests.remove(sessionId);
        if (gone != null) {
            left(gone);
        }
    }

    private boolean left(Guest guest) {
        quotas.leave(Resource.SESSIONS, guest.key());
        return true;
    }

    private boolean left(Wait wait) {
        quotas.leave(Resource.WAITERS, wait.key());
        return true;
    }
}
