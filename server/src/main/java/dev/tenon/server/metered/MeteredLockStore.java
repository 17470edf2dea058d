package dev.tenon.server.metered;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A lock store whose calls are timed and whose answers are counted. Thread-safe. */
class MeteredLockStore implements LockStore {
    private final LockStore store;
    private final CallTimer timer;
    private final LockCounters counters;

    private MeteredLockStore(LockStore store, CallTimer timer, LockCounters counters) {
        this.store = store;
        this.timer = timer;
        this.counters = counters;
    }

    /** The same store, metered; one that takes several locks at once stays so. */
    static LockStore over(LockStore store, CallTimer timer, LockCounters counters) {
        return store instanceof MultiLockStore several
                ? new Several(several, timer, counters)
                : new MeteredLockStore(store, timer, counters);
    }

    /** One that takes several locks at once. */
    private static final class Several extends MeteredLockStore implements MultiLockStore {
        private final MultiLockStore store;
        private final CallTimer timer;
        private final LockCounters counters;

        Several(MultiLockStore store, CallTimer timer, LockCounters counters) {
            super(store, timer, counters);
            this.store = store;
            this.timer = timer;
            this.counters = counters;
        }

        @Override
        public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
            return timer.stage(
                    "acquireAll", () -> store.acquireAll(requests), outcomes -> outcomes.forEach(counters::acquired));
        }
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        CountedEvents counted = new CountedEvents(events, counters);
        return timer.stage("open", () -> store.open(spec, counted), session -> counters.sessionOpened());
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return timer.stage("keepAlive", () -> store.keepAlive(sessionId));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return timer.stage("closeSession", () -> store.closeSession(sessionId), closed -> counters.sessionClosed());
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        return timer.stage("acquire", () -> store.acquire(request), counters::acquired);
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return timer.stage("release", () -> store.release(releases), counters::released);
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return timer.stage("renew", () -> store.renew(renewals), counters::renewed);
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return timer.stage("cancel", () -> store.cancel(request), counters::cancelled);
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return timer.stage("inspect", () -> store.inspect(name));
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return timer.stage("list", () -> store.list(prefix, after, limit));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return timer.stage("evict", () -> store.evict(name, expectedToken, reason), counters::evicted);
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return timer.stage("revoke", () -> store.revoke(name, by), counters::revokeAsked);
    }

    @Override
    public void close() {
        store.close();
    }
}
