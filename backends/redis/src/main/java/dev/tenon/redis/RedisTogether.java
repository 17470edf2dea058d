package dev.tenon.redis;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Several locks at once. Where they are in one place it is one script, one step and one round trip. In a cluster, names
 * of several buckets are in several places, and no script reaches more than one: then one bucket is taken after the
 * other, and all are given back if one can't be had. Others may for a moment see some of them held. As everybody goes
 * by the same order, of those who collide one gets on. Thread-safe.
 */
final class RedisTogether {
    private final RedisLink link;
    private final RedisLockCalls calls;
    private final RedisGrants grants;

    RedisTogether(RedisLink link, RedisLockCalls calls, RedisGrants grants) {
        this.link = link;
        this.calls = calls;
        this.grants = grants;
    }

    /** As {@link dev.tenon.lock.spi.MultiLockStore#acquireAll}. */
    CompletableFuture<List<Outcome>> acquireAll(List<Acquire> requests) {
        if (!link.isCluster()) {
            return grants.acquireAll(requests);
        }
        Map<String, List<Acquire>> buckets = new TreeMap<>();
        for (Acquire request : requests) {
            buckets.computeIfAbsent(calls.keys().tag(request.name()), tag -> new ArrayList<>())
                    .add(request);
        }
        return inTurn(requests, buckets.values());
    }

    private CompletableFuture<List<Outcome>> inTurn(List<Acquire> requests, Collection<List<Acquire>> buckets) {
        Map<String, Outcome> granted = new LinkedHashMap<>();
        CompletableFuture<Optional<Outcome>> refusal = CompletableFuture.completedFuture(Optional.empty());
        for (List<Acquire> bucket : buckets) {
            refusal = refusal.thenCompose(earlier ->
                    earlier.isPresent() ? CompletableFuture.completedFuture(earlier) : take(bucket, granted));
        }
        return refusal.handle((refused, failure) -> {
                    if (failure == null && refused.isEmpty()) {
                        return CompletableFuture.completedFuture(requests.stream()
                                .map(request -> Objects.requireNonNull(granted.get(request.name())))
                                .toList());
                    }
                    return giveBack(granted)
                            .thenCompose(done -> failure == null
                                    ? CompletableFuture.completedFuture(List.of(refused.orElseThrow()))
                                    : CompletableFuture.<List<Outcome>>failedFuture(RedisErrors.unwrap(failure)));
                })
                .thenCompose(outcomes -> outcomes);
    }

    /** Takes all of one bucket, or tells why not. */
    private CompletableFuture<Optional<Outcome>> take(List<Acquire> bucket, Map<String, Outcome> granted) {
        return grants.acquireAll(bucket).thenApply(outcomes -> {
            Optional<Outcome> refused = outcomes.stream()
                    .filter(outcome -> !(outcome instanceof Outcome.Granted))
                    .findFirst();
            for (int i = 0; refused.isEmpty() && i < bucket.size(); i++) {
                granted.put(bucket.get(i).name(), outcomes.get(i));
            }
            return refused;
        });
    }

    private CompletableFuture<?> giveBack(Map<String, Outcome> granted) {
        List<RedisCall> releases = new ArrayList<>();
        granted.forEach((name, outcome) ->
                releases.add(calls.release(new Release(name, ((Outcome.Granted) outcome).token()))));
        return link.runAll(releases, false)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new OutcomeUnknownException(
                        "Redis granted " + granted.keySet() + " without the others, and they could not be given back",
                        RedisErrors.unwrap(failure))));
    }
}
