package dev.tenon.lock;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A lock that is held. It belongs to whoever has this object, on any thread; it ends by {@link #close}, or is lost when
 * the store can't be told in time that it is still wanted.
 *
 * <p>What it knows of the store is pessimistic: a lease counts from the moment before it was asked for, on the monotonic
 * clock, less a margin of 1 % and 2 ms for clocks that run at different rates. Thread-safe.
 */
public final class Lease implements AutoCloseable {
    /** How a lease stands. */
    public enum State {
        /** Held, as far as this process can know. */
        HELD,
        /** Held, but the last renewal failed: it is lost unless a renewal succeeds in the {@link #remaining} time. */
        SUSPECT,
        /** Lost: another may hold the lock. */
        LOST,
        /** Given back by {@link #close}. */
        RELEASED
    }

    private final Locks locks;
    private final String name;
    private final long token;
    private final LockOptions options;
    private final long acquiredNanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
    private volatile long deadlineNanos;
    private volatile long renewNanos;
    private volatile boolean claimed;

    Lease(Locks locks, String name, LockOptions options, Terms terms) {
        this.locks = locks;
        this.name = name;
        this.token = terms.token();
        this.options = options;
        this.acquiredNanos = locks.time().nanoTime();
        this.claimed = terms.claimed();
        count(terms.fromNanos(), terms.lease());
    }

    /**
     * What the store has granted.
     *
     * @param token the fencing token
     * @param fromNanos the moment from which the lease counts, on this process's monotonic clock
     * @param lease how long it lasts from then
     * @param claimed false if it was handed over and must be renewed once to get its full length
     */
    record Terms(long token, long fromNanos, Duration lease, boolean claimed) {}

    /** The name of the lock. */
    public String name() {
        return name;
    }

    /**
     * The fencing token: greater than that of every holder before, smaller than that of every holder after. What the lock
     * protects should refuse a token smaller than one that it has seen.
     */
    public long token() {
        return token;
    }

    /** How this lease stands now. No round trip. */
    public State state() {
        if (remainingNanos() <= 0) {
            lose("its lease ran out before a renewal got through");
        }
        return Objects.requireNonNull(state.get());
    }

    /** How long the lock is still held for certain; zero if it is lost or released. No round trip. */
    public Duration remaining() {
        State now = state();
        return now == State.LOST || now == State.RELEASED ? Duration.ZERO : Duration.ofNanos(remainingNanos());
    }

    /**
     * Throws unless the lock is held for at least another {@code atLeast}. Ask before a step that must not overlap with
     * another holder's. No round trip.
     *
     * @throws LeaseLostException if less time than that is left
     */
    public void ensure(Duration atLeast) {
        Duration left = remaining();
        if (left.isZero() || left.compareTo(atLeast) < 0) {
            throw new LeaseLostException("Lock \"" + name + "\" (token " + token + ") is " + state.get() + " with "
                    + left + " left, and " + atLeast + " is needed");
        }
    }

    /** Completes, with the reason, if this lease is ever lost, on a thread of
     * {@link java.util.concurrent.ForkJoinPool#commonPool}. It does not complete when the lease is closed. */
    public CompletionStage<LeaseLostException> lost() {
        return lost.minimalCompletionStage();
    }

    /**
     * Gives the lock back, and waits for the store's answer for at most five seconds. If the store can't be told, the lock
     * becomes free when its lease runs out. Idempotent; never throws.
     */
    @Override
    public void close() {
        try {
            closeAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // The release is on its way; the caller learns of the interrupt where it next waits.
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException storeIsSilent) {
            // The lease, which is no longer renewed, ends the hold.
            return;
        }
    }

    /** {@link #close} without waiting. The stage fails if the store could not be told. */
    public CompletionStage<Void> closeAsync() {
        if (state() == State.LOST || !leaveFor(State.RELEASED)) {
            return CompletableFuture.completedFuture(null);
        }
        locks.renewals().remove(this);
        CompletionStage<List<Released>> answer = locks.release(new Release(name, token));
        return answer.handle((released, failure) -> {
            locks.gates().leave(name);
            if (failure != null) {
                throw new CompletionException(failure);
            }
            return null;
        });
    }

    @Override
    public String toString() {
        return "Lease[" + name + ", token " + token + ", " + state.get() + "]";
    }

    /** When the renewal loop has to look at this lease: to renew it, or to see it end. */
    long dueNanos() {
        boolean renewing = !claimed || options.renewed();
        return renewing && deadlineNanos - renewNanos > 0 ? renewNanos : deadlineNanos;
    }

    /** The renewal to send now, if one is due. */
    Optional<Renew> dueRenewal(long nowNanos) {
        State now = state();
        if (now == State.LOST || now == State.RELEASED || renewNanos - nowNanos > 0) {
            return Optional.empty();
        }
        if (claimed && !options.renewed()) {
            return Optional.empty();
        }
        Duration held = Duration.ofNanos(nowNanos - acquiredNanos);
        Duration lease = options.maximumHold()
                .map(max -> max.minus(held))
                .filter(left -> left.compareTo(options.lease()) < 0)
                .orElse(options.lease());
        if (lease.isNegative() || lease.isZero()) {
            renewNanos = deadlineNanos;
            return Optional.empty();
        }
        return Optional.of(new Renew(name, token, Optional.of(lease)));
    }

    /** Takes note of the answer to a renewal that was sent at {@code sentNanos}. */
    void renewed(Renewed answer, long sentNanos) {
        if (answer instanceof Renewed.Extended extended) {
            claimed = true;
            count(sentNanos, extended.lease());
            state.compareAndSet(State.SUSPECT, State.HELD);
        } else {
            lose("the store no longer has it: it expired there, or was taken away");
        }
    }

    /** Takes note of a renewal that failed. */
    void renewalFailed() {
        state.compareAndSet(State.HELD, State.SUSPECT);
    }

    /** Takes note of a renewal that is on its way: unless it gets through, it is tried again soon. */
    void renewalSent(long nowNanos) {
        renewNanos = nowNanos
                + Math.max(TimeUnit.MILLISECONDS.toNanos(10), options.lease().toNanos() / 20);
    }

    /** Ends this lease, because the lock is not (or not provably) held any more. */
    void lose(String reason) {
        if (leaveFor(State.LOST)) {
            locks.renewals().remove(this);
            locks.gates().leave(name);
            // Listeners are users' code: it may block, and this thread is the renewal loop's or the store's.
            lost.completeAsync(
                    () -> new LeaseLostException("Lock \"" + name + "\" (token " + token + ") was lost: " + reason));
        }
    }

    private boolean leaveFor(State end) {
        return state.compareAndSet(State.HELD, end) || state.compareAndSet(State.SUSPECT, end);
    }

    private long remainingNanos() {
        return deadlineNanos - locks.time().nanoTime();
    }

    private void count(long fromNanos, Duration lease) {
        long nanos = lease.toNanos();
        deadlineNanos = fromNanos + nanos - margin(nanos);
        renewNanos = fromNanos + nanos / 3;
    }

    /** What is taken off a lease for clocks that run at different rates. */
    static long margin(long leaseNanos) {
        return leaseNanos / 100 + TimeUnit.MILLISECONDS.toNanos(2);
    }
}
