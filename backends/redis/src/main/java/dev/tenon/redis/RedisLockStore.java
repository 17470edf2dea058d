package dev.tenon.redis;

import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The lock machine as a family of Lua scripts, one a call. Redis decides, on its clock; this class knows only which
 * sessions are open in this process, and what they may have to give back.
 */
final class RedisLockStore implements MultiLockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.STORE_CLOCK, StoreTraits.Push.PUSHED, true, false, Duration.ofMillis(1));
    private static final int PAGE_MAX = 1000;

    private final RedisLink link;
    private final RedisLockKeys keys;
    private final RedisLockCalls calls;
    private final RedisGrants grants;
    private final RedisTogether together;
    private final SessionBook book;
    private final RedisSubscription subscription;

    /** @param late how long the answer to a call may take */
    RedisLockStore(RedisLink link, RedisLockKeys keys, RedisLockScripts scripts, TimeSource time, Duration late) {
        this.link = link;
        this.keys = keys;
        this.calls = new RedisLockCalls(keys, scripts);
        this.grants = new RedisGrants(link, calls);
        this.together = new RedisTogether(link, calls, grants);
        this.book = new SessionBook(time, late);
        this.subscription = new RedisSubscription(link, keys, (grant, events) -> {
            book.holds(grant); // first: it may have to be given back whatever becomes of it
            grants.pushed(grant, events);
        });
    }

    /** Has a look at the connection for pushes. */
    void watchPushes() {
        subscription.runOnce();
    }

    /** Forgets what has expired. */
    void runOnce() {
        book.runOnce();
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return subscription.open(spec, events);
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return CompletableFuture.completedFuture(subscription.isOpen(sessionId));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        subscription.close(sessionId);
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (Cancel wait : book.waitsOf(sessionId)) {
            all.add(cancel(wait).toCompletableFuture().thenCompose(answer -> {
                List<Release> granted = answer instanceof Cancelled.WasGranted g
                        ? List.of(new Release(wait.name(), g.token()))
                        : List.of();
                return release(granted);
            }));
        }
        all.add(release(book.heldBy(sessionId)).toCompletableFuture());
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        Optional<IllegalArgumentException> refusal = refusal(request);
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        if (!subscription.isOpen(request.sessionId())) {
            return CompletableFuture.completedFuture(new Outcome.NoSession());
        }
        return grants.acquire(request).handle((outcome, failure) -> {
            if (failure == null) {
                return noted(request, outcome);
            }
            throw noted(List.of(request), failure);
        });
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        for (Acquire request : MultiLockStore.requireTogether(requests)) {
            Optional<IllegalArgumentException> refusal = refusal(request);
            if (refusal.isPresent()) {
                return CompletableFuture.failedFuture(refusal.get());
            }
        }
        if (!subscription.isOpen(requests.get(0).sessionId())) {
            return CompletableFuture.completedFuture(List.of(new Outcome.NoSession()));
        }
        return together.acquireAll(requests).handle((outcomes, failure) -> {
            if (failure != null) {
                throw noted(requests, failure);
            }
            for (int i = 0; i < outcomes.size() && outcomes.size() == requests.size(); i++) {
                noted(requests.get(i), outcomes.get(i));
            }
            return outcomes;
        });
    }

    private static Optional<IllegalArgumentException> refusal(Acquire request) {
        Optional<Duration> lease = request.lease();
        return lease.isPresent() && lease.get().compareTo(TRAITS.leastLease()) >= 0
                ? Optional.empty()
                : Optional.of(new IllegalArgumentException(
                        "Redis ends no sessions: a lease of " + TRAITS.leastLease() + " or more is needed"));
    }

    private CompletionException noted(List<Acquire> requests, Throwable failure) {
        Throwable cause = RedisErrors.unwrap(failure);
        if (cause instanceof OutcomeUnknownException) {
            requests.forEach(book::waits);
        }
        return new CompletionException(cause);
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return all(releases, calls::release, false, (r, reply) -> {
            book.holdsNoMore(r);
            return RedisLockReplies.released(reply);
        });
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        for (Renew renewal : renewals) {
            if (renewal.lease().isEmpty()) {
                return CompletableFuture.failedFuture(
                        new IllegalArgumentException("Redis ends no sessions: a renewal needs a lease"));
            }
        }
        return all(
                renewals,
                calls::renew,
                true,
                (r, reply) -> noted(new Release(r.name(), r.token()), RedisLockReplies.renewed(reply)));
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return link.run(calls.cancel(request)).thenApply(reply -> {
            book.waitsNoMore(request.requestId());
            return RedisLockReplies.cancelled(reply);
        });
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return link.run(calls.inspect(name)).thenApply(reply -> RedisLockReplies.view(name, reply));
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        if (limit < 1 || limit > PAGE_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("Limit must be between 1 and " + PAGE_MAX + ": " + limit));
        }
        Listing listing = new Listing(after, limit);
        // Looks through every key: keeping a sorted index would cost each acquire and release.
        return link.scan(keys.pattern(prefix), key -> keys.nameOf(key).ifPresent(listing::add))
                .thenCompose(scanned -> page(listing));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return link.run(calls.evict(name, expectedToken)).thenApply(RedisLockReplies::evicted);
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return link.run(calls.revoke(name, by)).thenApply(RedisLockReplies::count);
    }

    @Override
    public void close() {
        CompletableFuture<?>[] all = subscription.openSessions().stream()
                .map(id -> closeSession(id).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        // A store that can't be reached lets the leases run out instead.
        CompletableFuture.allOf(all).handle((done, failure) -> null).join();
    }

    private Outcome noted(Acquire request, Outcome outcome) {
        if (outcome instanceof Outcome.Granted granted) {
            book.holds(request, granted.token(), granted.lease());
        } else if (outcome instanceof Outcome.Queued) {
            book.waits(request);
        }
        return outcome;
    }

    private Renewed noted(Release lock, Renewed renewed) {
        if (renewed instanceof Renewed.Extended extended) {
            book.renewed(lock, extended);
        } else {
            book.holdsNoMore(lock);
        }
        return renewed;
    }

    private <R, A> CompletionStage<List<A>> all(
            List<R> requests, Function<R, RedisCall> call, boolean durably, BiFunction<R, List<Object>, A> answer) {
        if (requests.size() == 1) {
            R only = requests.get(0);
            return (durably ? link.runDurably(call.apply(only)) : link.run(call.apply(only)))
                    .thenApply(reply -> List.of(answer.apply(only, reply)));
        }
        return link.runAll(requests.stream().map(call).toList(), durably).thenApply(replies -> {
            List<A> answers = new ArrayList<>(replies.size());
            for (int i = 0; i < replies.size(); i++) {
                answers.add(answer.apply(requests.get(i), replies.get(i)));
            }
            return answers;
        });
    }

    private CompletionStage<LockPage> page(Listing listing) {
        List<String> names = listing.first();
        return link.runAll(names.stream().map(calls::inspect).toList(), false).thenApply(replies -> {
            List<LockView> locks = new ArrayList<>();
            for (int i = 0; i < replies.size(); i++) {
                RedisLockReplies.view(names.get(i), replies.get(i)).ifPresent(locks::add);
            }
            return new LockPage(locks, listing.next());
        });
    }

    /**
     * The least names of a listing that were met so far: one more than asked for, to know whether there is a next page.
     */
    private static final class Listing {
        private final TreeSet<String> names = new TreeSet<>(Names.ORDER);
        private final String after;
        private final int limit;

        Listing(String after, int limit) {
            this.after = after;
            this.limit = limit;
        }

        void add(String name) {
            if (Names.ORDER.compare(name, after) > 0 && names.add(name) && names.size() > limit + 1) {
                names.pollLast();
            }
        }

        List<String> first() {
            return names.stream().limit(limit).toList();
        }

        Optional<String> next() {
            return names.size() > limit ? Optional.of(first().get(limit - 1)) : Optional.empty();
        }
    }
}
