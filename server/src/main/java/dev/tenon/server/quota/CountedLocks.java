package dev.tenon.server.quota;

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
import dev.tenon.server.problem.ProblemException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A lock store that takes no more locks than there may be. What renews, releases and ends always passes. Thread-safe.
 */
class CountedLocks implements LockStore {
    private final LockStore store;
    private final LockQuota quota;

    private CountedLocks(LockStore store, LockQuota quota) {
        this.store = store;
        this.quota = quota;
    }

    static LockStore over(LockStore store, LockQuota quota) {
        return store instanceof MultiLockStore several ? new Several(several, quota) : new CountedLocks(store, quota);
    }

    /** One that takes several at once. */
    private static final class Several extends CountedLocks implements MultiLockStore {
        private final MultiLockStore store;
        private final LockQuota quota;

        Several(MultiLockStore store, LockQuota quota) {
            super(store, quota);
            this.store = store;
            this.quota = quota;
        }

        @Override
        public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
            try {
                for (Acquire request : requests) {
                    quota.asks(request);
                }
            } catch (ProblemException full) {
                requests.forEach(request -> quota.dropped(request.name(), request.requestId()));
                return CompletableFuture.failedStage(full);
            }
            return store.acquireAll(requests).whenComplete((outcomes, failure) -> {
                for (int i = 0; i < requests.size(); i++) {
                    boolean one = outcomes != null && outcomes.size() == requests.size();
                    answered(requests.get(i), one ? outcomes.get(i) : null, failure);
                }
            });
        }
    }

    /** The same receiver, but that what it hears is counted. */
    static StoreEvents counted(StoreEvents events, LockQuota quota) {
        return new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                quota.granted(grant.name(), grant.requestId(), grant.token(), Optional.of(grant.lease()));
                events.granted(grant);
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                events.revokeAsked(revocation);
            }

            @Override
            public void sessionLost(String sessionId) {
                quota.ended(sessionId);
                events.sessionLost(sessionId);
            }

            @Override
            public void sessionClosed(String sessionId) {
                quota.ended(sessionId);
                events.sessionClosed(sessionId);
            }

            @Override
            public void resync() {
                events.resync();
            }
        };
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return store.open(spec, counted(events, quota));
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return store.keepAlive(sessionId).whenComplete((alive, failure) -> {
            if (failure == null && !alive) {
                quota.ended(sessionId);
            }
        });
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return store.closeSession(sessionId).whenComplete((closed, failure) -> {
            if (failure == null) {
                quota.ended(sessionId);
            }
        });
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        try {
            quota.asks(request);
        } catch (ProblemException full) {
            return CompletableFuture.failedStage(full);
        }
        return store.acquire(request).whenComplete((outcome, failure) -> answered(request, outcome, failure));
    }

    final void answered(Acquire request, @Nullable Outcome outcome, @Nullable Throwable failure) {
        if (outcome instanceof Outcome.Granted granted) {
            quota.granted(
                    request.name(),
                    request.requestId(),
                    granted.token(),
                    request.lease().map(any -> granted.lease()));
        } else if (!(outcome instanceof Outcome.Queued) && !mayHaveHappened(failure)) {
            quota.dropped(request.name(), request.requestId());
        }
    }

    private static boolean mayHaveHappened(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof OutcomeUnknownException;
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return store.release(releases).whenComplete((answers, failure) -> {
            if (failure == null) {
                releases.forEach(release -> quota.released(release.name(), release.token()));
            }
        });
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return store.renew(renewals).whenComplete((answers, failure) -> {
            for (int i = 0; failure == null && i < renewals.size(); i++) {
                Renew renewal = renewals.get(i);
                if (answers.get(i) instanceof Renewed.Extended extended) {
                    quota.renewed(
                            renewal.name(), renewal.token(), renewal.lease().map(any -> extended.lease()));
                } else {
                    quota.released(renewal.name(), renewal.token());
                }
            }
        });
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return store.cancel(request).whenComplete((answer, failure) -> {
            if (answer instanceof Cancelled.WasGranted granted) {
                quota.granted(request.name(), request.requestId(), granted.token(), Optional.of(granted.lease()));
            } else if (failure == null) {
                quota.dropped(request.name(), request.requestId());
            }
        });
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
        return store.evict(name, expectedToken, reason).whenComplete((floor, failure) -> {
            if (failure == null && floor.isPresent()) {
                quota.released(name, expectedToken);
            }
        });
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return store.revoke(name, by);
    }

    @Override
    public void close() {
        store.close();
    }
}
