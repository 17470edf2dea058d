package dev.tenon.sharded;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Locks spread over several independent stores by a hash ring: each name lives in one of them. For more locks than one
 * store can serve, and so that a dead store takes only its share with it. {@link #locks()} has all kinds of locks, as
 * over any store.
 *
 * <p><b>Changing the nodes.</b> Every process does the same, in three steps; while some have done a step and others
 * have not yet, no lock has two holders:
 *
 * <ol>
 *   <li>{@link #join} or {@link #leave}: from now on this process takes no lock whose name moves; who asks for one
 *       waits;
 *   <li>wait until what that returned is done, <em>in every process</em>: none of these is held any more;
 *   <li>{@link #settle}: from now on this process takes them at their new node.
 * </ol>
 *
 * <p>A process that starts during a change must be told of it in the same way, before it takes a lock.
 *
 * <p><b>Tokens</b> of a name increase when it moves, too, if the clocks of the stores differ by less than {@link
 * #CLOCKS_APART_MAX}, or the duration given instead: so only stores whose tokens come from clocks are accepted.
 * Thread-safe.
 */
public final class ShardedLocks implements AutoCloseable {
    /**
     * By how much the clocks of the stores may differ, unless it is said: step 2 of a change takes at least so long.
     */
    public static final Duration CLOCKS_APART_MAX = Duration.ofSeconds(10);

    private static final long MILLIS_BETWEEN_RUNS = 200;

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-sharded-timer"));
    private final ShardedLockStore lockStore;
    private final Locks locks;

    private ShardedLocks(Map<String, LockStore> stores, Duration clocksApart, TimeSource time) {
        this.lockStore = new ShardedLockStore(stores, clocksApart, time);
        this.locks = Locks.over(lockStore);
        timer.scheduleWithFixedDelay(
                lockStore::runOnce, MILLIS_BETWEEN_RUNS, MILLIS_BETWEEN_RUNS, TimeUnit.MILLISECONDS);
    }

    /**
     * Locks over these stores, which stay the caller's to close.
     *
     * @param stores by label; a label places its store on the ring: the same in every process, and for as long as the
     *     store is the same, wherever that moves
     * @throws IllegalArgumentException if there is none, or one whose tokens are not from a clock
     */
    public static ShardedLocks over(Map<String, ? extends LockStore> stores) {
        return over(stores, CLOCKS_APART_MAX);
    }

    /**
     * Locks over these stores.
     *
     * @param clocksApart by how much the stores' clocks may differ
     */
    public static ShardedLocks over(Map<String, ? extends LockStore> stores, Duration clocksApart) {
        if (clocksApart.isNegative()) {
            throw new IllegalArgumentException("Clocks can't differ by less than nothing: " + clocksApart);
        }
        return new ShardedLocks(Map.copyOf(stores), clocksApart, TimeSource.system());
    }

    /** The locks of these stores. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public LockStore lockStore() {
        return lockStore;
    }

    /** The labels of the nodes, without one that is joining or leaving. */
    public Set<String> nodes() {
        return lockStore.nodes();
    }

    /** The node where a name lives; while it moves, where it lived before. */
    public String nodeOf(String name) {
        return lockStore.plan().places(name).get(0);
    }

    /**
     * Begins to take a node in.
     *
     * @return done when this process holds no name that moves, and the clocks' difference has passed
     * @throws IllegalArgumentException if there is a node of this label, or the store's tokens are not from a clock
     * @throws IllegalStateException if another change is not settled
     */
    public CompletionStage<Void> join(String label, LockStore store) {
        return lockStore.join(label, store);
    }

    /**
     * Begins to leave a node, which must still answer: one that is dead is left out of the next start, when the longest
     * lease is over.
     *
     * @return done when this process holds no name that moves, and the clocks' difference has passed
     * @throws IllegalArgumentException if there is no such node, or no other
     * @throws IllegalStateException if another change is not settled
     */
    public CompletionStage<Void> leave(String label) {
        return lockStore.leave(label);
    }

    /**
     * Ends a change, when <em>all</em> processes have seen theirs done. A node that has left is not needed any more
     * then.
     * @throws IllegalStateException if there is no change, or this process has not seen it done
     */
    public void settle() {
        lockStore.settle();
    }

    /** Gives back every lock that is held through this object. The stores stay open. Idempotent. */
    @Override
    public void close() {
        locks.close();
        lockStore.close();
        timer.shutdownNow();
    }
}
