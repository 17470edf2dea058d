package dev.tenon.lock;

import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The renewal loop of a process: one pass renews every lease that is due, in one call to the store, and ends every
 * lease whose time is over; the timer runs the next pass when the next lease is due. Thread-safe.
 */
final class Renewals implements AutoCloseable {
    private static final int BATCH = 500;

    private final Locks locks;
    private final ScheduledExecutorService timer;
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
    private final AtomicLong losses = new AtomicLong();
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable Future<?> nextPass;
    private volatile long nextPassNanos;
    private volatile boolean passPlanned;
    private volatile @Nullable Session session;
    private volatile long keepAliveNanos;
    private volatile boolean closed;

    Renewals(Locks locks, ScheduledExecutorService timer) {
        this.locks = locks;
        this.timer = timer;
    }

    void add(Lease lease) {
        leases.add(lease);
        locks.events().tell(LockEvent.Kind.GRANTED, lease, Optional.empty());
        if (closed) {
            lease.lose("the locks of this process were closed");
            return;
        }
        plan(lease.dueNanos());
    }

    void remove(Lease lease) {
        leases.remove(lease);
    }

    void sessionOpened(Session opened) {
        if (locks.store().traits().sessionsExpire()) {
            session = opened;
            keepAliveNanos = locks.time().nanoTime() + opened.ttl().toNanos() / 3;
            plan(keepAliveNanos);
        }
    }

    void revokeAsked(Revocation revocation) {
        for (Lease lease : leases) {
            if (lease.storeToken() == revocation.token() && lease.name().equals(revocation.name())) {
                lease.revokeAskedBy(revocation.by());
            }
        }
    }

    /** The present token of a hold that the store knows by {@code storeToken}, if it is this process's. */
    OptionalLong tokenOf(String name, long storeToken) {
        return leases.stream()
                .filter(lease ->
                        lease.storeToken() == storeToken && lease.name().equals(name))
                .mapToLong(Lease::token)
                .findFirst();
    }

    /** How often all leases were lost at once. */
    long losses() {
        return losses.get();
    }

    /** What is held now. */
    Set<Lease> held() {
        return Collections.unmodifiableSet(leases);
    }

    void loseAll(String reason) {
        losses.incrementAndGet(); // first: a lease that is just changing hands may escape the pass below, and looks
        // here
        List.copyOf(leases).forEach(lease -> lease.lose(reason));
    }

    /** One pass. */
    void runOnce() {
        long now = locks.time().nanoTime();
        List<Lease> due = new ArrayList<>();
        List<Renew> renewals = new ArrayList<>();
        for (Lease lease : leases) {
            Optional<Renew> renewal = lease.dueRenewal(now);
            if (renewal.isPresent()) {
                lease.renewalSent(now);
                due.add(lease);
                renewals.add(renewal.get());
            }
        }
        for (int from = 0; from < due.size(); from += BATCH) {
            int to = Math.min(due.size(), from + BATCH);
            renew(due.subList(from, to), renewals.subList(from, to));
        }
        keepSessionAlive(now);
    }

    @Override
    public void close() {
        closed = true;
        loseAll("the locks of this process were closed");
    }

    /** Renews these before they are due: the answers tell what a push that was missed would have told. */
    void renewNow(List<Lease> early) {
        renew(early, early.stream().map(Lease::asRenew).toList());
    }

    private void renew(List<Lease> due, List<Renew> renewals) {
        long sentNanos = locks.time().nanoTime();
        locks.store().renew(renewals).whenComplete((answers, failure) -> {
            for (int i = 0; i < due.size(); i++) {
                if (failure != null) {
                    due.get(i).renewalFailed(locks.time().nanoTime());
                } else {
                    Renewed answer = answers.get(i);
                    due.get(i).renewed(answer, sentNanos);
                }
            }
            due.forEach(lease -> plan(lease.dueNanos()));
        });
    }

    private void keepSessionAlive(long now) {
        Session open = session;
        if (open == null || keepAliveNanos - now > 0) {
            return;
        }
        keepAliveNanos = now + open.ttl().toNanos() / 10;
        locks.store().keepAlive(open.id()).whenComplete((alive, failure) -> {
            if (failure == null && alive) {
                keepAliveNanos = now + open.ttl().toNanos() / 3;
            } else if (failure == null) {
                session = null;
                locks.sessionLost(open.id());
            }
        });
    }

    private void plan(long atNanos) {
        if (passPlanned && nextPassNanos - atNanos <= 0) {
            return;
        }
        mutex.lock();
        try {
            if ((passPlanned && nextPassNanos - atNanos <= 0) || timer.isShutdown()) {
                return;
            }
            if (nextPass != null) {
                nextPass.cancel(false);
            }
            passPlanned = false;
            long delay = Math.max(0, atNanos - locks.time().nanoTime());
            nextPass = timer.schedule(this::pass, delay, TimeUnit.NANOSECONDS);
            // Only now: what could not be scheduled must not keep others from being so.
            nextPassNanos = atNanos;
            passPlanned = true;
        } finally {
            mutex.unlock();
        }
    }

    private void pass() {
        mutex.lock();
        try {
            passPlanned = false;
        } finally {
            mutex.unlock();
        }
        try {
            runOnce();
        } finally {
            // Whatever went wrong: a loop that ended here would lose every lease without a word.
            leases.forEach(lease -> plan(lease.dueNanos()));
            if (session != null) {
                plan(keepAliveNanos);
            }
        }
    }
}
