package dev.tenon.sharded;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Release;
import dev.tenon.ring.HashRing;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The plan, and how it changes: from one ring to the other, with a time between in which nobody here takes what moves.
 * What is held is written down in step with that ({@link #hold}), so that nothing is held by a plan of the past without
 * being known. Thread-safe.
 */
final class ShardedChange {
    private final ReentrantLock mutex = new ReentrantLock();
    private final SessionBook book;
    private final TimeSource time;
    private final long clocksApartNanos;
    private volatile ShardedPlan plan;
    private volatile @Nullable CompletableFuture<Void> drained;
    private volatile long earliestNanos;

    ShardedChange(Map<String, LockStore> stores, SessionBook book, Duration clocksApart, TimeSource time) {
        HashRing<String> ring = HashRing.of(stores.keySet());
        this.plan = new ShardedPlan(stores, ring, ring);
        this.book = book;
        this.time = time;
        this.clocksApartNanos = clocksApart.toNanos();
    }

    ShardedPlan plan() {
        return plan;
    }

    /** The node of a hold, if it is one of this process. */
    Optional<String> node(Release lock) {
        return book.hold(lock).map(SessionBook.Hold::node);
    }

    /**
     * Writes down that a request holds its lock at a node, unless its name does not live there now. A hold that it
     * converts may be one that the change waits for: the new one is waited for too then.
     */
    boolean hold(Acquire request, long token, String node, long endNanos) {
        Release lock = new Release(request.name(), token);
        return inStep(plan -> {
            boolean here = isHere(plan, lock, node)
                    || converted(request).flatMap(book::hold).isPresent();
            if (here) {
                book.holds(request, token, endNanos, node);
            }
            return here;
        });
    }

    /**
     * The same of a request that is not known here any more; the store knows its session, and gives it back with that.
     */
    boolean hold(Release lock, String node, long endNanos) {
        return inStep(plan -> {
            boolean here = isHere(plan, lock, node);
            if (here) {
                book.holds(lock, endNanos, node);
            }
            return here;
        });
    }

    private boolean isHere(ShardedPlan plan, Release lock, String node) {
        return plan.places(lock.name()).equals(List.of(node)) || book.hold(lock).isPresent();
    }

    /** The hold that a request is to replace. */
    static Optional<Release> converted(Acquire request) {
        OptionalLong token = request.terms().converts();
        return token.isEmpty() ? Optional.empty() : Optional.of(new Release(request.name(), token.getAsLong()));
    }

    long nanoTime() {
        return time.nanoTime();
    }

    /** Does something short while the plan stays as it is. */
    private <T> T inStep(Function<ShardedPlan, T> work) {
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
        return time.nanoTime() - earliestNanos >= 0
                && inStep(now -> !book.anyHold(
                        (name, hold) -> !hold.node().equals(now.after().nodeFor(name))));
    }
}
