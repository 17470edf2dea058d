package dev.tenon.id;

import dev.tenon.id.spi.WorkerSlot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One claim of a worker ID, and the last position (see {@link IdLayout}) that was issued under it. The position lives
 * here and not in the generator, so that sealing it ends the claim for every thread at one atomic moment: a thread that
 * was about to issue fails, and what was used up to then is known exactly.
 */
final class HeldSlot {
    /** In place of a position: nothing is issued under this claim any more. */
    static final long SEALED = Long.MAX_VALUE;

    /** In place of a ceiling: every ID needs a reading of the clock. */
    static final long NO_RUN = 0;

    private static final VarHandle LAST;
    private static final VarHandle CHECK_AT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LAST = lookup.findVarHandle(HeldSlot.class, "last", long.class);
            CHECK_AT = lookup.findVarHandle(HeldSlot.class, "checkAt", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int workerId;
    private final @Nullable WorkerSlot claimed;
    private final long initial;
    private final Pulse pulse = new Pulse();

    private volatile long last;
    private volatile long ceiling = NO_RUN;
    private volatile long fence;
    private volatile long deadline;
    private volatile long checkAt;
    private volatile long lastIssued;

    private HeldSlot(int workerId, @Nullable WorkerSlot claimed, long initial, long nanos) {
        this.workerId = workerId;
        this.claimed = claimed;
        this.initial = initial;
        this.last = initial;
        this.lastIssued = initial;
        this.checkAt = nanos;
    }

    /** A worker ID without a lease. */
    static HeldSlot fixed(int workerId, long initial, long fence, long nanos) {
        HeldSlot held = new HeldSlot(workerId, null, initial, nanos);
        held.fence = fence;
        return held;
    }

    /**
     * A worker ID under a lease; see {@link #extend}.
     *
     * @param initial counts as issued: the first ID is after it
     * @param nanos now
     */
    static HeldSlot leased(WorkerSlot claimed, long initial, long nanos) {
        return new HeldSlot(claimed.workerId(), claimed, initial, nanos);
    }

    int workerId() {
        return workerId;
    }

    /** The store's claim. */
    WorkerSlot claimed() {
        if (claimed == null) {
            throw new IllegalStateException("A fixed worker ID has no claim");
        }
        return claimed;
    }

    /** The last position issued, or {@link #SEALED}. */
    long last() {
        return last;
    }

    /** Issues a position, unless another thread was faster or the claim is sealed. */
    boolean advance(long from, long to) {
        return LAST.compareAndSet(this, from, to);
    }

    /** Up to which position IDs may follow each other without a reading of the clock. */
    long ceiling() {
        return ceiling;
    }

    void allowRun(long newCeiling) {
        ceiling = newCeiling;
    }

    void endRun() {
        ceiling = NO_RUN;
    }

    /** What keeps blocks of positions valid; see {@link Stripe}. */
    Pulse pulse() {
        return pulse;
    }

    /** The greatest position that may be issued. */
    long fence() {
        return fence;
    }

    /** Sets up to when (monotonic nanoseconds), and up to which position, this claim may be used. */
    void extend(long newDeadline, long newFence) {
        fence = Math.max(fence, newFence);
        deadline = newDeadline;
    }

    /** Whether the lease is over as far as this process can tell. */
    boolean lapsed(long nanos) {
        return claimed != null && nanos - deadline >= 0;
    }

    /** Whether the wall clock and the lease were looked at recently enough to issue without looking again. */
    boolean fresh(long nanos) {
        return nanos - checkAt < 0;
    }

    /** Makes the claim fresh for a while, or until its lease is over; false if another thread is doing so. */
    boolean freshen(long nanos, long forNanos) {
        long seen = checkAt;
        long until = nanos + forNanos;
        if (claimed != null && until - deadline > 0) {
            until = deadline;
        }
        return nanos - seen >= 0 && CHECK_AT.compareAndSet(this, seen, until);
    }

    boolean sealed() {
        return last == SEALED;
    }

    /** Ends the claim for every thread, and the blocks that were cut under it. Idempotent. */
    void seal() {
        long before = (long) LAST.getAndSet(this, SEALED);
        pulse.end(); // after that: a thread that still cuts a block has read the pulse before
        if (before != SEALED) {
            lastIssued = before;
        }
    }

    /** The last position issued, or cut for a block, before the seal. */
    long lastIssued() {
        return lastIssued;
    }

    /** The greatest timestamp used under this sealed claim; what was used before it, if nothing was. */
    Instant lastUsed(IdLayout layout) {
        return lastIssued == initial
                ? claimed().floor()
                : Instant.ofEpochMilli(layout.millisOf(lastIssued >>> layout.sequenceBits()));
    }
}
