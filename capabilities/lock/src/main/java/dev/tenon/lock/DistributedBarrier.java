package dev.tenon.lock;

import dev.tenon.LeaseLostException;
import dev.tenon.Names;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A place where a number of parties, in any processes, wait until all have come. Each party holds one of so many
 * permits while it waits; whoever sees that all are held asks every holder to let go, which the store pushes to them,
 * and each party that is asked goes on. A party that dies while it waits is not counted any more when its lease has run
 * out.
 *
 * <p>Each round is a barrier of its own, as a party that is late for one round must not be taken for one of the next.
 * Give each another name (such as {@code import:2026-11-21}), or let the parties count their rounds:
 * {@link #await(long, Duration)}. Thread-safe.
 */
public final class DistributedBarrier {
    /** Missed pushes are made up for by a look this often. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Locks locks;
    private final String name;
    private final int parties;
    private final String tripped;

    DistributedBarrier(Locks locks, String name, int parties) {
        this.locks = locks;
        this.name = Names.requireValid("barrier name", name);
        this.parties = LockMode.permits(1, parties).max();
        this.tripped = "barrier of " + parties;
    }

    /**
     * Waits until all parties have come.
     *
     * @param wait how long at most, more than zero
     * @throws LockTimeoutException if they did not come in that time; if the last one came in that very moment, the
     *     others may have gone on
     * @throws LeaseLostException if the store lost this party's place
     * @throws InterruptedException if the thread is interrupted; this party's place is free then
     */
    public void await(Duration wait) throws InterruptedException {
        Wish.requireWait(wait);
        long deadlineNanos = locks.time().nanoTime() + wait.toNanos();
        try (Lease place = locks.semaphore(name, parties).acquire(wait)) {
            CompletableFuture<String> asked = place.revokeAsked().toCompletableFuture();
            while (!isComplete(place)) {
                long left = deadlineNanos - locks.time().nanoTime();
                if (left <= 0) {
                    throw new LockTimeoutException(
                            "Barrier \"" + name + "\": not all of " + parties + " parties came within " + wait);
                }
                place.ensure(Duration.ZERO);
                if (isAsked(asked, Math.min(left, LOOK.toNanos()))) {
                    return;
                }
            }
        }
    }

    /**
     * As {@link #await(Duration)}, for one round of many: with the same number meet those who come for the same round.
     *
     * @param round its number, such as the one of a loop in which all parties are
     */
    public void await(long round, Duration wait) throws InterruptedException {
        new DistributedBarrier(locks, name + "#" + round, parties).await(wait);
    }

    @Override
    public String toString() {
        return "DistributedBarrier[" + name + ", " + parties + "]";
    }

    /** Whether all have come; then, all are told. */
    private boolean isComplete(Lease place) {
        List<LockView.HolderView> here =
                locks.inspect(name).map(LockView::holders).orElse(List.of());
        boolean told = here.stream()
                .anyMatch(h -> h.token() == place.token() && h.revokedBy().equals(Optional.of(tripped)));
        if (told) {
            return true;
        }
        boolean all = here.size() == parties
                && here.stream().allMatch(h -> h.revokedBy().isEmpty());
        if (all) {
            locks.revoke(name, tripped);
        }
        return all;
    }

    private boolean isAsked(CompletableFuture<String> asked, long nanos) throws InterruptedException {
        try {
            String by = asked.get(nanos, TimeUnit.NANOSECONDS);
            if (!by.equals(tripped)) {
                throw new LeaseLostException("Barrier \"" + name + "\" was broken by " + by);
            }
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException neverHappens) {
            throw Locks.unchecked(neverHappens);
        }
    }
}
