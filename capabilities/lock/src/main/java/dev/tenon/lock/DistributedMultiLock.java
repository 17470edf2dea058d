package dev.tenon.lock;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Several exclusive locks, all or none. If all are free they are taken in one step and one round trip, where the store
 * can. Else they are waited for one after another in the order of their names, each in its own queue, and kept: as
 * everybody takes them in the same order, no two multi-locks wait for each other, and none waits for ever while the
 * others keep moving. (Who also holds a lock that it took by itself can still close a circle.) Thread-safe.
 */
public final class DistributedMultiLock {
    private static final int ATTEMPTS = 3;

    private final Locks locks;
    private final List<Wish> wishes;

    DistributedMultiLock(Locks locks, Collection<String> names, LockOptions options) {
        this.locks = locks;
        TreeSet<String> sorted = new TreeSet<>(Names.ORDER);
        names.forEach(name -> sorted.add(Names.requireValid("lock name", name)));
        if (sorted.isEmpty() || sorted.size() > MultiLockStore.NAMES_MAX) {
            throw new IllegalArgumentException(
                    "A multi-lock has 1 to " + MultiLockStore.NAMES_MAX + " locks, not " + sorted.size());
        }
        this.wishes = sorted.stream()
                .map(name -> Wish.of(name, LockMode.EXCLUSIVE, options))
                .toList();
    }

    /** The names of the locks, in the order in which they are taken. */
    public List<String> names() {
        return wishes.stream().map(Wish::name).toList();
    }

    /**
     * Waits for all of the locks.
     *
     * @param wait how long at most for all together, more than zero
     * @throws LockTimeoutException if one was not to be had in that time; none is held then
     * @throws InterruptedException if the thread is interrupted; nothing is held then
     */
    public MultiLease acquire(Duration wait) throws InterruptedException {
        return tryAcquire(wait)
                .orElseThrow(
                        () -> new LockTimeoutException("Locks " + names() + " were not all to be had within " + wait));
    }

    /** {@link #acquire}, or nothing. */
    public Optional<MultiLease> tryAcquire(Duration wait) throws InterruptedException {
        Wish.requireWait(wait);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long deadlineNanos = locks.time().nanoTime() + wait.toNanos();
        if (locks.store() instanceof MultiLockStore store) {
            Optional<List<Lease>> all = takeAll(store);
            if (all.isPresent()) {
                return all.map(leases -> new MultiLease(locks, leases));
            }
        }
        return inTurn(wish -> {
            long left = deadlineNanos - locks.time().nanoTime();
            return left <= 0
                    ? Optional.empty()
                    : locks.start(wish, Duration.ofNanos(left)).await();
        });
    }

    /**
     * Takes the locks if all are free; one round trip where the store takes several locks at once, else one for each.
     */
    public Optional<MultiLease> tryAcquire() {
        if (locks.store() instanceof MultiLockStore store) {
            return takeAll(store).map(leases -> new MultiLease(locks, leases));
        }
        return inTurn(wish -> Locks.join(locks.start(wish, Duration.ZERO).result()));
    }

    @Override
    public String toString() {
        return "DistributedMultiLock" + names();
    }

    private interface Taking<E extends Exception> {
        Optional<Lease> take(Wish wish) throws E;
    }

    private <E extends Exception> Optional<MultiLease> inTurn(Taking<E> taking) throws E {
        List<Lease> leases = new ArrayList<>();
        boolean complete = false;
        try {
            for (Wish wish : wishes) {
                Optional<Lease> lease = taking.take(wish);
                if (lease.isEmpty()) {
                    return Optional.empty();
                }
                leases.add(lease.get());
            }
            complete = true;
            return Optional.of(new MultiLease(locks, leases));
        } finally {
            if (!complete) {
                Lease.awaitRelease(locks.releaseAll(leases));
            }
        }
    }

    private Optional<List<Lease>> takeAll(MultiLockStore store) {
        List<String> requestIds = newIds();
        RuntimeException known = null;
        for (int attempt = 1; ; attempt++) {
            try {
                Session session = Locks.join(locks.requireOpen().session());
                long sentNanos = locks.time().nanoTime();
                List<Outcome> outcomes = Locks.join(store.acquireAll(requests(session, requestIds)));
                if (outcomes.get(0) instanceof Outcome.NoSession && attempt < ATTEMPTS) {
                    locks.sessionLost(session.id());
                    requestIds = newIds();
                    known = null; // whatever the session may have got has ended with it
                    continue;
                }
                return leases(outcomes, sentNanos, locks.ownerOf(Thread.currentThread()));
            } catch (BackendUnavailableException | OutcomeUnknownException failure) {
                // A request whose reply was lost may have got through, though the store can't be reached since.
                if (known == null || failure instanceof OutcomeUnknownException) {
                    known = failure;
                }
                if (attempt == ATTEMPTS) {
                    callOff(requestIds);
                    throw known;
                }
            }
        }
    }

    private Optional<List<Lease>> leases(List<Outcome> outcomes, long sentNanos, String owner) {
        List<Lease> leases = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (!(outcome instanceof Outcome.Granted granted)) {
                return Optional.empty();
            }
            Wish wish = wishes.get(leases.size()).ungated();
            Lease.Terms terms = new Lease.Terms(granted.token(), sentNanos, granted.lease(), true);
            leases.add(new Lease(locks, wish, terms, owner));
        }
        leases.forEach(locks.renewals()::add);
        return Optional.of(leases);
    }

    private List<String> newIds() {
        return wishes.stream().map(wish -> locks.nextRequestId()).toList();
    }

    private List<Acquire> requests(Session session, List<String> requestIds) {
        List<Acquire> requests = new ArrayList<>();
        String owner = locks.ownerOf(Thread.currentThread());
        for (Wish wish : wishes) {
            requests.add(new Acquire(
                    wish.name(),
                    session.id(),
                    requestIds.get(requests.size()),
                    owner,
                    Optional.of(wish.options().lease()),
                    Duration.ZERO,
                    wish.terms()));
        }
        return requests;
    }

    /** Gives back what a call whose reply was lost may have got, as soon as the store answers. */
    private void callOff(List<String> requestIds) {
        for (int i = 0; i < requestIds.size(); i++) {
            Wish wish = wishes.get(i);
            Cancel request = new Cancel(wish.name(), requestIds.get(i));
            long over = locks.time().nanoTime() + wish.options().lease().toNanos();
            new CallingOff(locks, request, over, token -> locks.release(new Release(wish.name(), token))).begin();
        }
    }
}
