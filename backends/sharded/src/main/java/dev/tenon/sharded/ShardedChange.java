package dev.tenon.sharded;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.ring.HashRing;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The plan, and how it changes: from one ring to the other, with a time between in which nobody here takes what moves.
 * What is held is written down in step with that ({@link #inStep}), so that nothing is held by a plan of the past
 * without being known. Thread-safe.
 */
final class ShardedChange {
    private final ReentrantLock mutex = new ReentrantLock();
    private final ShardedHolds holds;
    private final TimeSource time;
    private final long clocksApartNanos;
    private volatile ShardedPlan plan;
    private volatile @Nullable CompletableFuture<Void> drained;
    private volatile long earliestNanos;

    ShardedChange(Map<String, LockStore> stores, ShardedHolds holds, Duration clocksApart, TimeSource time) {
        HashRing<String> ring = HashRing.of(stores.keySet());
        this.plan = new ShardedPlan(stores, ring, ring);
        this.holds = holds;
        this.time = time;
        this.clocksApartNanos = clocksApart.toNanos();
    }

    ShardedPlan plan() {
        return plan;
    }

    /** Does something short while the plan stays as it is. */
    <T> T inStep(Function<ShardedPlan, T> work) {
        mutex.lock();
        try {
            return work.apply(plan);
        } finally {
            mutex.unlock();
        }
    }

    CompletionStage<Void> begin(UnaryOperator<HashRing<String>> next, Map<String, LockStore> more) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        mutex.lock();
        try {
            if (plan.isChanging()) {
                throw new IllegalStateException("Another change of the nodes is not settled");
            }
            Map<String, LockStore> stores = new HashMap<>(plan.stores());
            stores.putAll(more);
            plan = new ShardedPlan(stores, plan.before(), next.apply(plan.before()));
            drained = mine;
            earliestNanos = time.nanoTime() + clocksApartNanos;
        } finally {
            mutex.unlock();
        }
        runOnce();
        return mine;
    }

    void settle() {
        mutex.lock();
        try {
            CompletableFuture<Void> done = drained;
            if (done == null || !done.isDone()) {
                throw new IllegalStateException(
                        done == null
                                ? "No change of the nodes has begun"
                                : "Something is still held at its old node, or the clocks' difference has not passed");
            }
            Map<String, LockStore> stores = new HashMap<>(plan.stores());
            stores.keySet().retainAll(plan.after().weights().keySet());
            plan = new ShardedPlan(stores, plan.after(), plan.after());
            drained = null;
        } finally {
            mutex.unlock();
        }
    }

    /** Looks whether the step under way is done. */
    void runOnce() {
        CompletableFuture<Void> waiting = drained;
        if (waiting != null && !waiting.isDone() && isDrained()) {
            waiting.complete(null);
        }
    }

    private boolean isDrained() {
        return time.nanoTime() - earliestNanos >= 0 && inStep(now -> !holds.lag(now));
    }
}
