package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Takes locks, and sees to it that a grant counts only once enough replicas have it, where that is asked for. One that
 * they have not in time is given back, and the caller told that nothing happened, or that the hold is lost which it was
 * to replace; only where even that can't be done, it may have. Thread-safe.
 */
final class RedisGrants {
    private final RedisLink link;
    private final RedisLockCalls calls;

    RedisGrants(RedisLink link, RedisLockCalls calls) {
        this.link = link;
        this.calls = calls;
    }

    CompletableFuture<Outcome> acquire(Acquire request) {
        return link.runReplicated(calls.acquire(request)).thenCompose(reply -> {
            Outcome outcome = RedisLockReplies.outcome(reply.values());
            return link.replicates() && outcome instanceof Outcome.Granted granted
                    ? replicated(List.of(request), List.of(granted), reply)
                            .thenApply(gone -> gone.isEmpty() ? outcome : gone(request, gone.get()))
                    : CompletableFuture.completedFuture(outcome);
        });
    }

    /** What it was converted from went with it: the caller must not go on as if it still had that. */
    private static Outcome gone(Acquire request, BackendUnavailableException why) {
        if (request.terms().converts().isPresent()) {
            return new Outcome.NotHeld();
        }
        throw why;
    }

    /** Takes all of these locks or none, in one step; they must be in one slot. */
    CompletableFuture<List<Outcome>> acquireAll(List<Acquire> requests) {
        return link.runReplicated(calls.acquireAll(requests)).thenCompose(reply -> {
            List<Outcome> outcomes = RedisLockReplies.outcomes(reply.values());
            List<Outcome.Granted> granted = granted(outcomes);
            return link.replicates() && granted.size() == requests.size()
                    ? replicated(requests, granted, reply).thenApply(gone -> {
                        gone.ifPresent(why -> {
                            throw why;
                        });
                        return outcomes;
                    })
                    : CompletableFuture.completedFuture(outcomes);
        });
    }

    static List<Outcome.Granted> granted(List<Outcome> outcomes) {
        return outcomes.stream()
                .filter(Outcome.Granted.class::isInstance)
                .map(Outcome.Granted.class::cast)
                .toList();
    }

    /**
     * Tells a session of a grant that was pushed to it. Whoever released the lock did not wait for replicas on its
     * behalf.
     */
    void pushed(Grant grant, StoreEvents events) {
        if (!link.replicates()) {
            events.granted(grant);
            return;
        }
        write(grant.name(), grant.token(), grant.lease()).whenComplete((gone, failure) -> {
            if (failure == null && gone.isEmpty()) {
                events.granted(grant);
            } else {
                events.resync(); // the request is not held any more, or perhaps: it asks again
            }
        });
    }

    /** Why these are not held any more, if they are not; fails if that is not known. */
    private CompletableFuture<Optional<BackendUnavailableException>> replicated(
            List<Acquire> requests, List<Outcome.Granted> granted, RedisReply reply) {
        boolean fresh = true;
        for (int i = 0; i < requests.size(); i++) {
            // WAIT counts what this connection has written last. A full lease was written by this very call; one that
            // has
            // begun to run down was written before, perhaps by another connection: it is written once more.
            fresh &= RedisLockReplies.micros(granted.get(i).lease())
                    == RedisLockReplies.micros(requests.get(i).lease().orElseThrow());
        }
        if (fresh) {
            return link.isEnough(reply)
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : giveBack(releases(requests, granted), link.shortage(reply));
        }
        List<CompletableFuture<Optional<BackendUnavailableException>>> again = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            Outcome.Granted one = granted.get(i);
            again.add(write(requests.get(i).name(), one.token(), one.lease()));
        }
        return CompletableFuture.allOf(again.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> again.stream()
                        .map(CompletableFuture::join)
                        .flatMap(Optional::stream)
                        .findFirst());
    }

    /** Writes a grant as it is once more, for the replicas. */
    private CompletableFuture<Optional<BackendUnavailableException>> write(String name, long token, Duration lease) {
        RedisCall renew = calls.renew(new Renew(name, token, Optional.of(lease)));
        return link.runReplicated(renew).thenCompose(reply -> {
            if (RedisLockReplies.renewed(reply.values()) instanceof Renewed.NotHeld) {
                return CompletableFuture.completedFuture(Optional.of(new BackendUnavailableException(
                        "Lock \"" + name + "\" was granted, and is not held any more")));
            }
            return link.isEnough(reply)
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : giveBack(List.of(new Release(name, token)), link.shortage(reply));
        });
    }

    private static List<Release> releases(List<Acquire> requests, List<Outcome.Granted> granted) {
        List<Release> releases = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            releases.add(new Release(requests.get(i).name(), granted.get(i).token()));
        }
        return releases;
    }

    /** Gives grants back that can't be relied on. */
    private CompletableFuture<Optional<BackendUnavailableException>> giveBack(List<Release> releases, String why) {
        return link.runAll(releases.stream().map(calls::release).toList(), false)
                .handle((done, failure) -> {
                    if (failure != null) {
                        throw new OutcomeUnknownException(
                                "Redis granted " + names(releases) + ", and it could not be given back: " + why,
                                RedisErrors.unwrap(failure));
                    }
                    return Optional.of(new BackendUnavailableException(
                            "Redis granted and took back " + names(releases) + ": " + why));
                });
    }

    private static List<String> names(List<Release> releases) {
        return releases.stream().map(Release::name).toList();
    }
}
