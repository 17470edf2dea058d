package dev.tenon.memory;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockTable;
import dev.tenon.lock.spi.LockTable.Applied;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionEnd;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A {@link LockTable} behind one mutex, on wall time at the start and monotonic time from then on, so that setting the
 * machine's clock neither ends nor stretches a lease. Answers come on the calling thread, grants on the thread that
 * caused them.
 */
final class MemoryLockStore implements MultiLockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.STORE_CLOCK, StoreTraits.Push.PUSHED, false, true, Duration.ofMillis(1));

    private final ReentrantLock mutex = new ReentrantLock();
    private final LockTable table = new LockTable();
    private final Map<String, StoreEvents> receivers = new HashMap<>();
    private final TimeSource time;
    private final Instant startWall;
    private final long startNanos;
    private final Runnable deadlineMoved;

    /**
     * @param deadlineMoved called when {@link #untilNextDeadline} may have become earlier
     */
    MemoryLockStore(TimeSource time, Runnable deadlineMoved) {
        this.time = time;
        this.startWall = time.now();
        this.startNanos = time.nanoTime();
        this.deadlineMoved = deadlineMoved;
    }

    /** Lets leases, waits and sessions that are over end now. */
    void runOnce() {
        apply(() -> table.advance(now(), seed()));
    }

    /** How long {@link #runOnce} has nothing to do. */
    Optional<Duration> untilNextDeadline() {
        mutex.lock();
        try {
            return table.nextDeadline().map(at -> Duration.between(now(), at));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return apply(() -> {
            receivers.put(spec.id(), events);
            return table.openSession(spec, now());
        });
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return apply(() -> table.keepAlive(sessionId, now(), seed()));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return apply(() -> table.closeSession(sessionId, now(), seed())).thenApply(closed -> null);
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        return apply(() -> table.acquire(request, now(), seed()));
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        List<Acquire> together = MultiLockStore.requireTogether(requests);
        return apply(() -> table.acquireAll(together, now(), seed()));
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return CompletableFuture.completedFuture(releases.stream()
                .map(r -> applied(() -> table.release(r, now(), seed())))
                .toList());
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return CompletableFuture.completedFuture(renewals.stream()
                .map(r -> applied(() -> table.renew(r, now(), seed())))
                .toList());
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return apply(() -> table.cancel(request, now(), seed()));
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return apply(() -> {
            Applied<Boolean> step = table.advance(now(), seed());
            return step.answering(table.inspect(name));
        });
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return apply(() -> {
            Applied<Boolean> step = table.advance(now(), seed());
            return step.answering(table.list(prefix, after, limit));
        });
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return apply(() -> table.evict(name, expectedToken, now(), seed()));
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return apply(() -> table.revoke(name, by, now(), seed()));
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            List.copyOf(receivers.keySet()).forEach(id -> table.closeSession(id, now(), seed()));
            receivers.clear();
        } finally {
            mutex.unlock();
        }
    }

    private <T> CompletionStage<T> apply(Supplier<Applied<T>> call) {
        return CompletableFuture.completedFuture(applied(call));
    }

    private <T> T applied(Supplier<Applied<T>> call) {
        Applied<T> step;
        Map<String, StoreEvents> told = new HashMap<>();
        mutex.lock();
        try {
            step = call.get();
            for (Grant grant : step.grants()) {
                StoreEvents receiver = receivers.get(grant.sessionId());
                if (receiver != null) {
                    told.put(grant.sessionId(), receiver);
                }
            }
            for (Revocation revocation : step.revocations()) {
                StoreEvents receiver = receivers.get(revocation.sessionId());
                if (receiver != null) {
                    told.put(revocation.sessionId(), receiver);
                }
            }
            for (SessionEnd end : step.ended()) {
                StoreEvents receiver = receivers.remove(end.sessionId());
                if (receiver != null) {
                    told.put(end.sessionId(), receiver);
                }
            }
        } finally {
            mutex.unlock();
        }
        deadlineMoved.run();
        // Outside the mutex: a receiver may well call this store again.
        for (Grant grant : step.grants()) {
            StoreEvents receiver = told.get(grant.sessionId());
            if (receiver != null) {
                receiver.granted(grant);
            }
        }
        for (Revocation revocation : step.revocations()) {
            StoreEvents receiver = told.get(revocation.sessionId());
            if (receiver != null) {
                receiver.revokeAsked(revocation);
            }
        }
        for (SessionEnd end : step.ended()) {
            StoreEvents receiver = told.get(end.sessionId());
            if (receiver != null) {
                end.tell(receiver);
            }
        }
        return step.answer();
    }

    private Instant now() {
        return startWall.plusNanos(time.nanoTime() - startNanos);
    }

    private long seed() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, now());
    }
}
