package dev.tenon.lock;

import dev.tenon.LeaseLostException;
import dev.tenon.Names;
import dev.tenon.lock.spi.MultiLockStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A count-down latch for parties that are known by name: one process begins it and waits until each of them has counted
 * down, in whatever process it ran. A party counts once, however often it says so, and may end the moment after.
 *
 * <p>The count is kept by the one who waits, as that one is alive for as long as the count is needed, and the parties
 * need not be: it holds a lock for each party, {@code name#party}, and counting down is asking for that lock back
 * ({@link Locks#revoke}). The store keeps who has counted for as long as these locks are held, and tells the one who
 * waits. So:
 *
 * <ul>
 *   <li>A party that dies before it counts never counts: the wait ends with {@link LockTimeoutException}, which names
 *       it.
 *   <li>If the one who waits dies, the count is gone when its leases have run out. Whoever begins the latch anew,
 *       begins with all parties. A count that must survive that belongs beside the results that it counts.
 *   <li>Begin the latch before the parties are started: one that counts before has not counted, and is told so.
 *   <li>Others that wait for the same moment are told by the one who waits: with a {@link DistributedBarrier}, say.
 * </ul>
 *
 * <p>This differs from {@link java.util.concurrent.CountDownLatch}, on whose count anybody may wait: everything in a
 * lock store ends with somebody's lease. Thread-safe.
 */
public final class DistributedLatch {
    /** Each count has holds of its own in the store: who was counted in an earlier one has not counted in this one. */
    private static final LockOptions HOLD = LockOptions.DEFAULT.withoutLocalHandOver();

    private final Locks locks;
    private final String name;

    DistributedLatch(Locks locks, String name) {
        this.locks = locks;
        this.name = Names.requireValid("latch name", name);
    }

    /** The name of this latch. */
    public String name() {
        return name;
    }

    /**
     * Begins the count: from now on the parties may count down. One round trip where the store takes several locks at
     * once, else one for each party.
     *
     * @param parties 1 to {@value MultiLockStore#NAMES_MAX} names; the latch's, a {@code #} and one of them make a name
     * @param wait how long at most to wait for an earlier count of these parties to end, more than zero
     * @throws LockTimeoutException if an earlier one has not ended in that time
     * @throws InterruptedException if the thread is interrupted; nothing has begun then
     */
    public Countdown begin(Collection<String> parties, Duration wait) throws InterruptedException {
        Map<String, String> partyOf = new TreeMap<>();
        parties.forEach(party -> partyOf.put(lockOf(party), party));
        return new Countdown(locks.multiLock(partyOf.keySet(), HOLD).acquire(wait), partyOf);
    }

    /**
     * Counts down for a party. One round trip, where asking for a lock back is one. If the answer is lost, call it
     * again.
     *
     * @return false if nobody waits for this party: the latch has not begun, is over, or has no such party
     */
    public boolean countDown(String party) {
        return locks.revoke(lockOf(party), locks.ownerOf(Thread.currentThread())) > 0;
    }

    @Override
    public String toString() {
        return "DistributedLatch[" + name + "]";
    }

    private String lockOf(String party) {
        return Names.requireValid("name of the latch and its party", name + "#" + Names.requireValid("party", party));
    }

    /** A count that has begun; it ends when it is closed. Thread-safe. */
    public final class Countdown implements AutoCloseable {
        /** Missed pushes, and stores that do not push, are made up for by a renewal this often. */
        private static final Duration LOOK = Duration.ofSeconds(1);

        private final MultiLease held;
        private final Map<String, CompletableFuture<String>> counted = new TreeMap<>();
        private final CompletableFuture<Object> ended;

        private Countdown(MultiLease held, Map<String, String> partyOf) {
            this.held = held;
            for (Lease lease : held.leases()) {
                String party = partyOf.getOrDefault(lease.name(), lease.name());
                counted.put(party, lease.revokeAsked().toCompletableFuture());
            }
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(counted.values().toArray(CompletableFuture<?>[]::new));
            this.ended = CompletableFuture.anyOf(all, held.lost().toCompletableFuture());
        }

        /** The parties that have not counted down, as far as this process has heard. No round trip. */
        public Set<String> missing() {
            Set<String> missing = new TreeSet<>();
            counted.forEach((party, by) -> {
                if (!by.isDone()) {
                    missing.add(party);
                }
            });
            return missing;
        }

        /**
         * Waits until every party has counted down. May be called by any number of threads, and again after a timeout.
         *
         * @param wait how long at most, more than zero
         * @throws LockTimeoutException if not all did in that time; its message names those that did not
         * @throws LeaseLostException if the store has lost the count, or it was closed
         * @throws InterruptedException if the thread is interrupted; the count goes on
         */
        public void await(Duration wait) throws InterruptedException {
            Wish.requireWait(wait);
            long deadlineNanos = locks.time().nanoTime() + wait.toNanos();
            while (!missing().isEmpty()) {
                held.ensure(Duration.ZERO);
                long left = deadlineNanos - locks.time().nanoTime();
                if (left <= 0) {
                    throw new LockTimeoutException(
                            "Latch \"" + name + "\": not counted down within " + wait + " by " + missing());
                }
                try {
                    ended.get(Math.min(left, LOOK.toNanos()), TimeUnit.NANOSECONDS);
                } catch (TimeoutException notYet) {
                    locks.renewals().renewNow(held.leases());
                } catch (ExecutionException neverHappens) {
                    throw Locks.unchecked(neverHappens);
                }
            }
        }

        /** Ends the count. A party that counts after this is told that nobody waits. Idempotent; never throws. */
        @Override
        public void close() {
            held.close();
        }

        @Override
        public String toString() {
            return "Countdown[" + name + ", missing " + missing() + "]";
        }
    }
}
