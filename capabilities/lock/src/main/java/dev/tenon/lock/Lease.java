package dev.tenon.lock;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held. It belongs to whoever has this object, on any thread; it ends by {@link #close}, or is lost when
 * the store can't be told in time that it is still wanted.
 *
 * <p>What it knows of the store is pessimistic: a lease counts from the moment before it was asked for, on the
 * monotonic clock, less a margin of 1 % and 2 ms for clocks that run at different rates. Thread-safe.
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
        /** Given back by {@link #close}, or replaced by another lease in a conversion. */
        RELEASED
    }

    private final Locks locks;
    private final Wish wish;
    private final String name;
    private final long token;
    private final LockOptions options;
    private final long acquiredNanos;
    private final HandOver handOver;
    private final String owner;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
    private final CompletableFuture<String> revokeAsked = new CompletableFuture<>();
    private final AtomicReference<@Nullable Acquisition> conversion = new AtomicReference<>();
    private volatile long deadlineNanos;
    private volatile long renewNanos;
    private volatile boolean claimed;
    private volatile boolean wantedBack;

    Lease(Locks locks, Wish wish, Terms terms, String owner) {
        this.locks = locks;
        this.wish = wish;
        this.name = wish.name();
        this.options = wish.options();
        this.owner = owner;
        this.acquiredNanos = locks.time().nanoTime();
        this.handOver =
                new HandOver(terms.token(), acquiredNanos, 0, locks.renewals().losses());
        this.token = handOver.token();
        this.claimed = terms.claimed();
        count(terms.fromNanos(), terms.lease());
    }

    /** The same hold in the hands of the next thread. */
    private Lease(Lease before, String owner) {
        this.locks = before.locks;
        this.wish = before.wish;
        this.name = before.name;
        this.options = before.options;
        this.owner = owner;
        this.acquiredNanos = locks.time().nanoTime();
        this.handOver = before.handOver.next();
        this.token = handOver.token();
        this.claimed = before.claimed;
        this.deadlineNanos = before.deadlineNanos;
        this.renewNanos = before.renewNanos;
    }

    /**
     * What the store has granted.
     *
     * @param token the fencing token, the first of its block
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
     * The fencing token: greater than that of every holder before, smaller than that of every holder after, threads of
     * this process among them. What the lock protects should refuse a token smaller than one that it has seen.
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

    /**
     * Completes, with the reason, if this lease is ever lost, on a thread that Tenon has for this: what follows may
     * block. It does not complete when the lease is closed.
     */
    public CompletionStage<LeaseLostException> lost() {
        return lost.minimalCompletionStage();
    }

    /**
     * Completes, with who it was, when somebody asks for the lock back ({@link Locks#revoke}), on a thread that Tenon
     * has for this: at once where the store pushes, else with the next renewal. The lock stays held until
     * {@link #close}.
     */
    public CompletionStage<String> revokeAsked() {
        return revokeAsked.minimalCompletionStage();
    }

    /**
     * Gives the lock back, and waits for the store's answer for at most five seconds. If the store can't be told, the
     * lock becomes free when its lease runs out. Idempotent; never throws.
     */
    @Override
    public void close() {
        awaitRelease(closeAsync());
    }

    /**
     * Waits until the store has been told: for 5 s at most; for 2 s if the thread is interrupted, and no longer if it
     * is once more.
     */
    static void awaitRelease(CompletionStage<Void> release) {
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        boolean interrupted = false;
        try {
            while (true) {
                long left = Math.max(0, untilNanos - System.nanoTime());
                try {
                    release.toCompletableFuture().get(left, TimeUnit.NANOSECONDS);
                    return;
                } catch (InterruptedException e) {
                    // The caller learns of the interrupt where it next waits; that the lock is free, it may count on
                    // here.
                    long patience = interrupted ? 0 : AttemptCalls.SETTLED_NANOS_MAX;
                    untilNanos = Math.min(untilNanos, System.nanoTime() + patience);
                    interrupted = true;
                }
            }
        } catch (TimeoutException | ExecutionException storeIsSilent) {
            // The lease, which is no longer renewed, ends the hold.
            return;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@link #close} without waiting. The stage fails if the store could not be told. */
    public CompletionStage<Void> closeAsync() {
        boolean certain = state.get() == State.HELD;
        if (!leave()) {
            return CompletableFuture.completedFuture(null);
        }
        return certain && handOn() ? CompletableFuture.completedFuture(null) : locks.releaseLeft(List.of(this));
    }

    /** Gives the hold to the next thread in line, which wants just the same. False: to the store with it. */
    private boolean handOn() {
        boolean mayBe = wish.handsOver()
                && handOver.mayGoOn(locks.time().nanoTime())
                && renewNanos - locks.time().nanoTime() > 0
                && !wantedBack;
        LocalGates.Place successor = mayBe ? locks.gates().successor(wish) : null;
        if (successor == null) {
            return false;
        }
        Lease next = new Lease(this, successor.owner());
        locks.renewals().add(next);
        if (locks.renewals().losses() != handOver.losses()) {
            next.lose("its session was lost as it changed hands");
        }
        successor.turn().complete(Optional.of(next));
        return true;
    }

    /** Gives the hold to the store, without a word to the line of this process. */
    void giveUp() {
        if (leave()) {
            locks.release(asRelease());
        }
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
        return Optional.of(new Renew(name, storeToken(), Optional.of(lease)));
    }

    /** Takes note of the answer to a renewal that was sent at {@code sentNanos}. */
    void renewed(Renewed answer, long sentNanos) {
        if (answer instanceof Renewed.Extended extended) {
            claimed = true;
            count(sentNanos, extended.lease());
            if (state.compareAndSet(State.SUSPECT, State.HELD)) {
                tell(LockEvent.Kind.RECOVERED, null);
            }
            extended.revokedBy().ifPresent(this::revokeAskedBy);
            return;
        }
        Acquisition converting = conversion.get();
        if (converting != null) {
            converting.ask(); // what the store no longer has may be what it has just converted
        } else {
            lose("the store no longer has it: it expired there, or was taken away");
        }
    }

    /** Takes note that somebody asks for the lock. */
    void revokeAskedBy(String who) {
        if (!wantedBack) {
            wantedBack = true;
            tell(LockEvent.Kind.REVOKE_ASKED, who);
            // Users' code, and this thread is the store's.
            revokeAsked.completeAsync(() -> who, locks.events().callbacks());
        }
    }

    /** Takes note of a renewal that failed: it is tried again soon. */
    void renewalFailed(long nowNanos) {
        renewNanos = nowNanos
                + Math.max(TimeUnit.MILLISECONDS.toNanos(10), options.lease().toNanos() / 20);
        if (state.compareAndSet(State.HELD, State.SUSPECT)) {
            tell(LockEvent.Kind.SUSPECT, null);
        }
    }

    /**
     * Takes note of a renewal that is on its way. Without an answer it is sent again, but not so soon that a slow store
     * gets many of one lease at a time, where each may be in the way of the others.
     */
    void renewalSent(long nowNanos) {
        renewNanos = nowNanos
                + Math.max(TimeUnit.MILLISECONDS.toNanos(10), options.lease().toNanos() / 6);
    }

    /** Ends this lease in order, if it is held; the caller tells the store. */
    boolean leave() {
        if (state() == State.LOST || !leaveFor(State.RELEASED)) {
            return false;
        }
        locks.renewals().remove(this);
        tell(LockEvent.Kind.RELEASED, null);
        return true;
    }

    Release asRelease() {
        return new Release(name, storeToken());
    }

    /** The token by which the store knows this hold. */
    long storeToken() {
        return handOver.storeToken();
    }

    /** A renewal to its full length. */
    Renew asRenew() {
        return wish.asRenew(storeToken());
    }

    /** Who asked for it, as the store shows it unless it changed hands in this process. */
    String owner() {
        return owner;
    }

    Wish wish() {
        return wish;
    }

    /** Whether these locks gave it out. */
    boolean isOf(Locks others) {
        return locks == others;
    }

    /** Takes note that its hold is to be replaced; one conversion at a time. */
    void converting(Acquisition acquisition) {
        ensure(Duration.ZERO);
        Acquisition before = conversion.get();
        // Whoever saw it end may ask again before it was taken off below.
        boolean over = before == null || before.result().isDone();
        if (!over || !conversion.compareAndSet(before, acquisition)) {
            throw new IllegalStateException(this + " is being converted already");
        }
        acquisition.result().whenComplete((lease, failure) -> conversion.compareAndSet(acquisition, null));
    }

    /** Ends this lease without a release: another has taken its place in the store. */
    void replaced() {
        if (leave()) {
            wish.leaveGate(locks);
        }
    }

    /** Ends this lease, because the lock is not (or not provably) held any more. */
    void lose(String reason) {
        if (leaveFor(State.LOST)) {
            locks.renewals().remove(this);
            tell(LockEvent.Kind.LOST, reason);
            wish.leaveGate(locks);
            // Listeners are users' code: it may block, and this thread is the renewal loop's or the store's.
            lost.completeAsync(
                    () -> new LeaseLostException("Lock \"" + name + "\" (token " + token + ") was lost: " + reason),
                    locks.events().callbacks());
        }
    }

    private void tell(LockEvent.Kind kind, @Nullable String detail) {
        locks.events().tell(kind, this, Optional.ofNullable(detail));
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
