package dev.tenon.memory;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store whose requests get lost on the way, or its replies on the way back, or its pushes, or come twice, as the test
 * wants.
 */
final class LossyLockStore implements MultiLockStore {
    private final MultiLockStore store;
    final AtomicInteger loseRequests = new AtomicInteger();
    final AtomicInteger loseReplies = new AtomicInteger();
    final AtomicInteger losePushes = new AtomicInteger();
    final AtomicInteger repeatPushes = new AtomicInteger();
    /** How many renewals end in an error, as of a store that gets no thread for them. */
    final AtomicInteger breakRenewals = new AtomicInteger();

    final AtomicInteger calls = new AtomicInteger();
    /** What the next acquire waits for before it reaches the store, if anything: requests may overtake each other. */
    volatile @Nullable CompletableFuture<Void> holdAcquire;

    /** What the next cancel waits for, on the thread of whoever completes it, if anything. */
    volatile @Nullable CompletableFuture<Void> holdCancel;

    /** What an acquire or a cancel waits for if nothing above is said of it. */
    volatile Supplier<CompletableFuture<Void>> line = () -> CompletableFuture.completedFuture(null);

    /** Runs with each acquire, on the thread that asks. */
    volatile Runnable onAcquire = () -> {};

    /** What happens to the line when a reply gets lost. */
    volatile Runnable onLostReply = () -> {};

    volatile @Nullable StoreEvents events;

    LossyLockStore(LockStore store) {
        this.store = (MultiLockStore) store;
    }

    private <T> CompletionStage<T> lossy(Supplier<CompletionStage<T>> call) {
        calls.incrementAndGet();
        if (loseRequests.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            return CompletableFuture.failedFuture(new BackendUnavailableException("the test cut the line"));
        }
        CompletionStage<T> answer = call.get();
        if (loseReplies.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            onLostReply.run();
            return CompletableFuture.failedFuture(new OutcomeUnknownException("the test lost the reply"));
        }
        return answer;
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents receiver) {
        events = receiver;
        return store.open(spec, new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                if (losePushes.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                    receiver.granted(grant);
                }
                if (repeatPushes.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                    receiver.granted(grant);
                }
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                receiver.revokeAsked(revocation);
            }

            @Override
            public void sessionLost(String sessionId) {
                receiver.sessionLost(sessionId);
            }

            @Override
            public void resync() {
                receiver.resync();
            }
        });
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return lossy(() -> store.keepAlive(sessionId));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return lossy(() -> store.closeSession(sessionId));
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        onAcquire.run();
        CompletableFuture<Void> held = holdAcquire;
        return (held == null ? line.get() : held).thenCompose(now -> lossy(() -> store.acquire(request)));
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        return lossy(() -> store.acquireAll(requests));
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return lossy(() -> store.release(releases));
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        if (breakRenewals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw new OutOfMemoryError("the test gives no thread");
        }
        return lossy(() -> store.renew(renewals));
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return lossy(() -> store.revoke(name, by));
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        CompletableFuture<Void> held = holdCancel;
        return (held == null ? line.get() : held).thenCompose(now -> lossy(() -> store.cancel(request)));
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return store.inspect(name);
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return store.list(prefix, after, limit);
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return store.evict(name, expectedToken, reason);
    }

    @Override
    public void close() {}
}
