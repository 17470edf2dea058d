package dev.tenon.sharded;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The requests under way. Thread-safe. */
final class ShardedTakes {
    private final Map<String, ShardedTake> takes = new ConcurrentHashMap<>();
    private final ShardedChange change;
    private final ShardedHolds holds;
    private final ShardedSessions sessions;
    private final TimeSource time;

    ShardedTakes(ShardedChange change, ShardedHolds holds, ShardedSessions sessions, TimeSource time) {
        this.change = change;
        this.holds = holds;
        this.sessions = sessions;
        this.time = time;
    }

    CompletionStage<Outcome> ask(Acquire request) {
        while (true) {
            ShardedTake take = takes.computeIfAbsent(request.requestId(), id -> new ShardedTake(this, request));
            Optional<CompletableFuture<Outcome>> answer = take.ask();
            if (answer.isPresent()) {
                return answer.get();
            }
            takes.remove(request.requestId(), take);
        }
    }

    void handed(String label, Grant grant) {
        ShardedTake take = takes.get(grant.requestId());
        if (take != null) {
            take.handed(label, grant);
        }
    }

    CompletionStage<Cancelled> cancel(Cancel request) {
        ShardedTake take = takes.get(request.requestId());
        CompletionStage<Boolean> stopped = take == null ? CompletableFuture.completedFuture(true) : take.stop();
        return stopped.thenCompose(done -> {
            takes.remove(request.requestId());
            String place = change.plan().places(request.name()).get(0);
            long sentNanos = time.nanoTime();
            return change.plan()
                    .store(place)
                    .cancel(request)
                    .thenCompose(was -> cancelled(request, place, was, sentNanos));
        });
    }

    private CompletionStage<Cancelled> cancelled(Cancel request, String place, Cancelled was, long sentNanos) {
        if (!(was instanceof Cancelled.WasGranted granted)) {
            return CompletableFuture.completedFuture(was);
        }
        Release lock = new Release(request.name(), granted.token());
        // Whose session it is the store knows, and gives it back when that is closed.
        boolean holds = hold(lock, "", place, sentNanos + granted.lease().toNanos());
        return holds
                ? CompletableFuture.completedFuture(granted)
                : change.plan().store(place).release(List.of(lock)).thenApply(done -> new Cancelled.Gone());
    }

    /** Writes down that a lock is held, unless its name does not live there now. */
    boolean hold(Release lock, String sessionId, String place, long endNanos) {
        return change.inStep(plan -> {
            boolean here = plan.places(lock.name()).equals(List.of(place))
                    || holds.label(lock).isPresent();
            if (here) {
                holds.put(lock, sessionId, place, endNanos);
            }
            return here;
        });
    }

    /**
     * The same in place of another hold, which may be one that the change waits for: the new one is waited for too
     * then.
     */
    boolean replace(Release before, Release lock, String sessionId, String place, long endNanos) {
        return change.inStep(plan -> {
            boolean known = holds.label(before).isPresent();
            if (known) {
                holds.put(lock, sessionId, place, endNanos);
                holds.gone(before);
            }
            return known;
        });
    }

    /** Forgets those that wait no more. */
    void runOnce() {
        long now = time.nanoTime();
        takes.values().removeIf(take -> take.isOver(now));
    }

    ShardedChange change() {
        return change;
    }

    ShardedHolds holds() {
        return holds;
    }

    ShardedSessions sessions() {
        return sessions;
    }

    long nanoTime() {
        return time.nanoTime();
    }

    void ended(String requestId, ShardedTake take) {
        takes.remove(requestId, take);
    }
}
