package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker ID leased from a store. One thread at a time talks to the store: the one that renews in the background, or
 * one that can't issue before it has an answer; the others wait for that answer, and holding the permit is no lock.
 */
final class LeasedWorkerId extends WorkerId {
    private static final System.Logger LOG = System.getLogger(WorkerId.class.getName());

    /** How far a worker ID's time may be ahead of the clock for a claim to go on after it, to keep the order of IDs. */
    private static final Duration LEAD_MAX = Duration.ofSeconds(1);

    private static final Duration PAUSE_MIN = Duration.ofMillis(10);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    private final WorkerIdSource source;
    private final SlotClaims claims;
    private final IdLayout layout;
    private final String owner;
    private final Duration leaseTime;
    private final Duration reserve;
    private final Duration period;
    private final Duration pause;
    private final long usableNanos;
    private final Semaphore conversation;
    private final OptionalInt wanted;
    private final Runnable whenClosed;
    private final @Nullable ScheduledExecutorService scheduler;

    private boolean waiting; // set by the constructor alone
    private volatile boolean closed;
    private volatile HeldSlot held;
    private volatile @Nullable Failure failure;

    private record Failure(TenonException cause, long retryNanos) {}

    LeasedWorkerId(Builder builder) {
        super(builder.time);
        this.conversation = builder.conversation;
        this.source = builder.source;
        this.layout = builder.layout;
        this.owner = builder.owner;
        this.leaseTime = builder.leaseTime;
        // With a steady clock the fence is then never reached within the part of the lease that is used.
        Duration ahead = leaseTime.plus(layout.unit().multipliedBy(2));
        this.reserve = ahead.compareTo(WorkerClaim.LEASE_MAX) > 0 ? WorkerClaim.LEASE_MAX : ahead;
        this.period = leaseTime.dividedBy(3);
        this.pause = between(PAUSE_MIN, leaseTime.dividedBy(30), PAUSE_MAX);
        this.usableNanos = leaseTime.minus(leaseTime.dividedBy(10)).toNanos();
        this.wanted = builder.wanted;
        this.whenClosed = builder.whenClosed;
        this.claims = new SlotClaims(builder, reserve);
        this.held = claims.whenSettled(() -> claim(-1));
        if (wanted.isPresent()) {
            awaitFloor(held);
        }
        this.scheduler = builder.scheduled ? schedule() : null;
    }

    @Override
    public int value() {
        return held.workerId();
    }

    @Override
    HeldSlot begin(IdLayout generatorLayout, long borrowTicks) {
        if (!layout.equals(generatorLayout)) {
            throw new IllegalArgumentException(
                    "The worker ID was leased for the layout " + layout + ", not " + generatorLayout);
        }
        return held;
    }

    @Override
    HeldSlot confirm(HeldSlot seen) {
        HeldSlot now = held;
        if (now != seen && usable(now) && !closed) {
            return now;
        }
        enter("confirm the lease of worker ID " + seen.workerId());
        try {
            if (usable(held)) {
                return held;
            }
            requireRetry(cause -> new LeaseLostException(lost(), cause));
            renewOrReplace(time().now());
            return held;
        } catch (TenonException e) {
            throw e instanceof LeaseLostException ? e : new LeaseLostException(lost(), noted(e));
        } finally {
            leave();
        }
    }

    @Override
    HeldSlot extend(HeldSlot seen, long position) {
        enter("reserve time for worker ID " + seen.workerId());
        try {
            if (held == seen && seen.fence() < position) {
                requireRetry(this::unreserved);
                reserve(Instant.ofEpochMilli(layout.millisOf(position >>> layout.sequenceBits())));
            }
            return held;
        } finally {
            leave();
        }
    }

    private void reserve(Instant upTo) {
        try {
            renewOrReplace(upTo);
        } catch (TenonException e) {
            throw unreserved(noted(e));
        }
    }

    private TenonException unreserved(TenonException cause) {
        return held.sealed()
                ? new LeaseLostException(lost(), cause)
                : new BackendUnavailableException(
                        "More time for worker ID " + held.workerId() + " can't be reserved now", cause);
    }

    @Override
    HeldSlot stepAside(HeldSlot seen, long tickMax) {
        enter("change worker ID " + seen.workerId());
        try {
            if (held != seen) {
                return held;
            }
            if (wanted.isPresent()) {
                throw new ClockMovedBackwardsException(setBack(seen));
            }
            requireRetry(cause -> new ClockMovedBackwardsException(setBack(seen), cause));
            return spareFor(seen, tickMax);
        } finally {
            leave();
        }
    }

    private HeldSlot spareFor(HeldSlot seen, long tickMax) {
        HeldSlot spare;
        try {
            spare = claim(-1);
        } catch (TenonException e) {
            throw new ClockMovedBackwardsException(setBack(seen), noted(e));
        }
        if (spare.last() >>> layout.sequenceBits() > tickMax) {
            spare.seal();
            release(spare);
            throw (ClockMovedBackwardsException)
                    noted(new ClockMovedBackwardsException(setBack(seen) + ": all of them were used after that time"));
        }
        seen.seal();
        held = spare;
        release(seen);
        return spare;
    }

    /** One pass of the background: extends the lease and the fence, or gets another worker ID if the lease was lost. */
    void runOnce() {
        if (!conversation.tryAcquire()) {
            return;
        }
        try {
            if (!closed) { // with the permit: a close in between would be undone by a fresh claim
                renewOrReplace(time().now());
            }
        } catch (TenonException e) {
            noted(e);
        } catch (RuntimeException | Error e) {
            // Such as a driver's own: what is thrown from here ends all passes.
            LOG.log(Level.WARNING, "Worker ID " + value() + " could not be renewed, and is tried again", e);
        } finally {
            leave();
        }
    }

    @Override
    public void close() {
        closed = true;
        if (scheduler != null) {
            scheduler.shutdown();
        }
        conversation.acquireUninterruptibly();
        try {
            if (!held.sealed()) {
                held.seal();
                release(held);
            }
        } finally {
            whenClosed.run();
            conversation.release();
        }
    }

    /**
     * Waits until the one worker ID that will do may be used: after a kill, its time is reserved for at most as long as
     * a lease is.
     */
    private void awaitFloor(HeldSlot slot) {
        Instant floor = slot.claimed().floor();
        Duration wait = Duration.between(time().now(), floor);
        long until = time().nanoTime() + wait.toNanos();
        // Time is reserved from the last ID on, which may be ahead of the clock by what is borrowed, or by a unit.
        Duration ahead = SnowflakeGenerator.Builder.BORROW_DEFAULT.plus(layout.unit());
        if (wait.compareTo(reserve.plus(ahead)) > 0) {
            slot.seal();
            release(slot);
            throw new ClockMovedBackwardsException("Worker ID " + slot.workerId() + " may have been used up to " + floor
                    + ", and the clock is at " + time().now()
                    + ": mend the clock, or choose another worker ID; if the clock is right, a generator that may"
                    + " borrow much time was killed in a burst: start again after " + floor.minus(reserve));
        }
        boolean interrupted = false;
        for (long left = wait.toNanos(); left > 0; ) {
            time().park(Duration.ofNanos(Math.min(left, period.toNanos())));
            interrupted |= Thread.interrupted(); // an interrupted thread would not park, but spin
            left = until - time().nanoTime();
            waiting = left > 0;
            runOnce();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** With the permit: confirms the claim, with a fence ahead of {@code upTo}; without it, claims a fresh one. */
    private void renewOrReplace(Instant upTo) {
        HeldSlot before = held;
        if (!before.sealed() && renew(before, upTo)) {
            return;
        }
        if (usable(before)) {
            HeldSlot kept = keep(before);
            if (kept != null) {
                held = kept;
                return;
            }
        }
        before.seal();
        held = claim(before.lastIssued() >>> layout.sequenceBits());
    }

    /** Tells a store that does not know this claim that it is held; null: it is over. */
    private @Nullable HeldSlot keep(HeldSlot before) {
        long asked = time().nanoTime();
        Optional<WorkerSlot> slot = claims.keep(before.claimed(), upTo(before));
        if (slot.isEmpty()) {
            return null;
        }
        failure = null;
        if (slot.get().claim() == before.claimed().claim()) {
            before.extend(asked + usableNanos, fencePosition(slot.get().fence()));
            return before;
        }
        before.seal();
        HeldSlot kept = HeldSlot.leased(slot.get(), before.lastIssued(), asked);
        kept.extend(asked + usableNanos, fencePosition(slot.get().fence()));
        claims.forgotten(kept.workerId());
        return kept;
    }

    /** From when on a claim that is kept reserves time: its fence must not go back. */
    private Instant upTo(HeldSlot slot) {
        Instant fence = Instant.ofEpochMilli(layout.millisOf(slot.fence() >>> layout.sequenceBits()));
        Instant least = fence.minus(reserve).plus(layout.unit());
        Instant now = time().now();
        return least.isAfter(now) ? least : now;
    }

    private boolean renew(HeldSlot slot, Instant upTo) {
        Instant issued = Instant.ofEpochMilli(layout.millisOf(slot.last() >>> layout.sequenceBits()));
        // A start that waits issues nothing yet: a fence that it moved would only make the next one wait longer.
        Instant fence = waiting ? slot.claimed().fence() : (issued.isAfter(upTo) ? issued : upTo).plus(reserve);
        long asked = time().nanoTime();
        if (!source.renew(slot.claimed(), leaseTime, fence)) {
            return false;
        }
        slot.extend(asked + usableNanos, fencePosition(fence));
        failure = null;
        return true;
    }

    /**
     * With the permit: a fresh claim.
     *
     * @param tickUsed keep the order of IDs: begin after that, unless it is too far ahead of the clock for that
     */
    private HeldSlot claim(long tickUsed) {
        Instant now = time().now();
        long asked = time().nanoTime();
        WorkerSlot slot = claims.claim(now);
        long floor = Math.max(-1, layout.tickOf(slot.floor().toEpochMilli()));
        long first =
                (tickUsed <= layout.tickOf(now.plus(LEAD_MAX).toEpochMilli()) ? Math.max(floor, tickUsed) : floor) + 1;
        long sequence = ThreadLocalRandom.current().nextLong(1L << layout.sequenceBits());
        HeldSlot claimed = HeldSlot.leased(slot, first << layout.sequenceBits() | sequence, asked);
        claimed.extend(asked + usableNanos, fencePosition(slot.fence()));
        failure = null;
        return claimed;
    }

    private long fencePosition(Instant fence) {
        return layout.lastPositionOf(Math.min(layout.maxTick(), layout.tickOf(fence.toEpochMilli())));
    }

    /** With the permit: gives a sealed claim back. Where the store can't be reached the lease runs out by itself. */
    private void release(HeldSlot sealed) {
        try {
            source.release(sealed.claimed(), sealed.lastUsed(layout));
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            noted(e);
        }
    }

    private boolean usable(HeldSlot slot) {
        return !slot.sealed() && !slot.lapsed(time().nanoTime());
    }

    private void enter(String purpose) {
        try {
            if (!conversation.tryAcquire(leaseTime.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new LeaseLostException(
                        "Could not " + purpose + " within " + leaseTime + ": another thread still waits for the store");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseLostException("Interrupted while waiting to " + purpose, e);
        }
        if (closed) {
            conversation.release();
            throw new IllegalStateException("Worker ID " + value() + " is closed");
        }
    }

    private void leave() {
        conversation.release();
        claims.tellForgotten();
    }

    /** Keeps callers from asking a store again that has just failed. */
    private void requireRetry(Function<TenonException, TenonException> asException) {
        Failure recent = failure;
        if (recent != null && time().nanoTime() - recent.retryNanos() < 0) {
            throw asException.apply(recent.cause());
        }
    }

    private TenonException noted(TenonException e) {
        failure = new Failure(e, time().nanoTime() + pause.toNanos());
        return e;
    }

    private String lost() {
        return "The lease of worker ID " + held.workerId()
                + " is over, and no other could be had; IDs come again when the" + " store answers";
    }

    private String setBack(HeldSlot seen) {
        return "The clock is at " + time().now() + ", behind what worker ID " + seen.workerId()
                + " has used, and there is no spare worker ID";
    }

    private ScheduledExecutorService schedule() {
        ScheduledExecutorService executor =
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-worker-id-" + owner));
        executor.scheduleWithFixedDelay(this::runOnce, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        return executor;
    }

    private static Duration between(Duration min, Duration value, Duration max) {
        return value.compareTo(min) < 0 ? min : value.compareTo(max) > 0 ? max : value;
    }
}
