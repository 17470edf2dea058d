package dev.tenon.id;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Objects;

/**
 * IDs made of time, worker and sequence, without asking anybody.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of the same layout and epoch whose worker IDs come from one group; see
 *       {@link WorkerId} for what a fixed worker ID leaves to the deployer.
 *   <li><b>Order:</b> strictly increasing per generator, across threads. The one exception is a clock that is set
 *       back further than is waited for: a leased worker ID is then changed for a spare one, and IDs go on from the
 *       clock's time. Between generators, by time as far as their clocks agree.
 *   <li><b>Rate limit:</b> {@link IdLayout#idsPerSecond()} on average. At the limit callers are parked, not spun. A
 *       burst may run ahead of the clock by the {@link Builder#borrow borrowed time} at most.
 *   <li><b>Clock:</b> the monotonic one is read for every ID (where they come faster than half a million a second,
 *       for every 256th and once a millisecond), the wall clock once a millisecond. Set back by up to the {@link
 *       Builder#tolerance tolerance}, calls wait for it where borrowing does not suffice; further, see above; without
 *       a spare worker ID they throw {@link ClockMovedBackwardsException}. Set forward, the store is asked to reserve
 *       the time first. At the layout's {@link IdLayout#expiry} they throw {@link RangeExhaustedException}.
 *   <li><b>Store:</b> asked in the background only. While it is away, IDs go on as long as the lease lasts; after
 *       that, and when the lease was taken away and no other can be had, calls throw {@link
 *       dev.tenon.LeaseLostException}.
 * </ul>
 *
 * <p>The sequence goes on from ID to ID instead of beginning anew in each unit of time, so that {@code id % 2ⁿ} is
 * uniform at any rate (in layouts with the sequence last). Thread-safe, without locks, and without garbage per ID.
 */
public final class SnowflakeGenerator implements IdGenerator {
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** How long the wall clock is extrapolated by the monotonic one before it is read again. */
    private static final long FRESH_NANOS = NANOS_PER_MILLI;
    /** The two clocks are read together if no more than this passes between them. */
    private static final long TOGETHER_NANOS = 100_000;

    private static final int TOGETHER_TRIES = 4;
    /**
     * At the rate limit, how long to sleep at a time: long enough to be cheap, short enough to be far below the
     * borrow.
     */
    private static final long SLEEP_NANOS = 5 * NANOS_PER_MILLI;

    /** How long the wall clock may go unseen in a wait for it. */
    private static final long SLEEP_NANOS_MAX = 100 * NANOS_PER_MILLI;

    private static final long MILLIS_MAX = Long.MAX_VALUE / NANOS_PER_MILLI - 1;

    private final IdLayout layout;
    private final WorkerId worker;
    private final TimeSource time;
    private final int sequenceBits;
    private final long sequenceMask;
    private final int workerBits;
    private final boolean workerLast;
    private final long maxTick;
    private final long unitNanos;
    private final long reciprocal;
    private final long borrowTicks;
    private final long borrowSpan;
    private final long toleranceTicks;

    private final ClockWatch watch;

    private volatile HeldSlot slot;
    /** What to add to monotonic time to get nanoseconds since the layout's epoch. */
    private volatile long offset;

    private SnowflakeGenerator(Builder builder) {
        this.layout = builder.layout;
        this.worker = builder.worker;
        this.time = worker.time();
        this.sequenceBits = layout.sequenceBits();
        this.sequenceMask = IdLayout.mask(sequenceBits);
        this.workerBits = layout.workerBits();
        this.workerLast = layout.workerIsLast();
        this.maxTick = layout.maxTick();
        this.unitNanos = layout.unitMillis() * NANOS_PER_MILLI;
        this.reciprocal = Long.divideUnsigned(-1, unitNanos) + 1;
        // A sequence that goes on from unit to unit needs the next unit to end a full one.
        this.borrowTicks = Math.max(1, ticks(builder.borrow));
        this.borrowSpan = layout.lastPositionOf(borrowTicks);
        this.toleranceTicks = ticks(builder.tolerance) + 1;
        if (time.epochMillis() < layout.epochMillis()) {
            throw new IllegalArgumentException(
                    "The layout's epoch is in the future: it is " + time.now() + ", and the layout " + layout);
        }
        this.slot = worker.attach(layout, borrowTicks);
        this.watch = new ClockWatch(time, () -> slot);
        anchor();
    }

    /** A generator with the defaults of {@link #builder}. */
    public static SnowflakeGenerator create(IdLayout layout, WorkerId worker) {
        return builder(layout, worker).build();
    }

    /**
     * Begins a generator.
     *
     * @param worker serves this generator alone; closing it ends the generator
     */
    public static Builder builder(IdLayout layout, WorkerId worker) {
        return new Builder(layout, worker);
    }

    /** The layout of the IDs. */
    public IdLayout layout() {
        return layout;
    }

    /**
     * The next ID.
     *
     * @throws dev.tenon.LeaseLostException if the worker ID was lost; nothing was issued
     * @throws ClockMovedBackwardsException if the clock is too far back; nothing was issued
     * @throws dev.tenon.BackendUnavailableException if the clock was set forward and the store can't reserve that time
     * @throws RangeExhaustedException if the layout has expired
     * @throws IllegalStateException if the worker ID was closed
     */
    @Override
    public long nextId() {
        HeldSlot held = slot;
        long last = held.last();
        while (last < held.ceiling()) { // never so for a sealed slot
            if (held.advance(last, last + 1)) {
                return id(last + 1, held.workerId());
            }
            last = held.last();
        }
        return nextIdByClock();
    }

    private long nextIdByClock() {
        while (true) {
            HeldSlot held = slot;
            long nanos = time.nanoTime();
            if (held.fresh(nanos)) {
                long now = position(nanos);
                long limit = Math.min(now + borrowSpan, held.fence());
                long last = held.last();
                while (last != HeldSlot.SEALED) {
                    long next = after(last, now);
                    if (next > limit) {
                        break;
                    }
                    if (held.advance(last, next)) {
                        watch.issued(held, Math.min(limit, next + ClockWatch.RUN));
                        return id(next, held.workerId());
                    }
                    last = held.last();
                }
            }
            prepare(held);
        }
    }

    /**
     * Fills an array with increasing IDs, those of one call to the clock in one step. Throws as {@link #nextId} does.
     */
    @Override
    public void fill(long[] ids) {
        int filled = 0;
        while (filled < ids.length) {
            HeldSlot held = slot;
            long nanos = time.nanoTime();
            int taken = 0;
            if (held.fresh(nanos)) {
                long now = position(nanos);
                long limit = Math.min(now + borrowSpan, held.fence());
                long last = held.last();
                long first = after(last, now);
                if (last != HeldSlot.SEALED && first <= limit) {
                    int wanted = (int) Math.min(ids.length - filled, limit - first + 1);
                    if (!held.advance(last, first + wanted - 1)) {
                        continue;
                    }
                    taken = wanted;
                    spread(ids, filled, taken, first, held.workerId());
                }
            }
            filled += taken;
            if (taken == 0) {
                prepare(held);
            }
        }
    }

    /**
     * Writes the IDs of consecutive positions: within a unit of time they differ by the same step, so a plain loop
     * does.
     */
    private void spread(long[] ids, int from, int count, long first, int workerId) {
        long step = workerLast ? 1L << workerBits : 1;
        for (int done = 0; done < count; ) {
            long position = first + done;
            long leftInUnit = workerLast ? count : sequenceMask - (position & sequenceMask) + 1;
            int run = (int) Math.min(count - done, leftInUnit);
            long id = id(position, workerId);
            for (int i = 0; i < run; i++) {
                ids[from + done + i] = id + i * step;
            }
            done += run;
        }
    }

    /** The position that follows {@code last} at the time {@code now}: never back, and the sequence goes on. */
    private long after(long last, long now) {
        long following = last + 1;
        return Math.max(following, now | (following & sequenceMask));
    }

    private long id(long position, long workerId) {
        return workerLast
                ? position << workerBits | workerId
                : (position & ~sequenceMask) << workerBits | workerId << sequenceBits | (position & sequenceMask);
    }

    /** The first position of the present unit of time. */
    private long position(long nanos) {
        long sinceEpoch = nanos + offset;
        // A multiplication in place of a division: it may come out one too high, never too low.
        long tick = Math.multiplyHigh(sinceEpoch, reciprocal);
        if (tick * unitNanos > sinceEpoch) {
            tick--;
        }
        return Math.min(tick, maxTick) << sequenceBits;
    }

    /** Finds out why no ID could be issued, and does away with the reason, waits a while, or throws. */
    private void prepare(HeldSlot held) {
        long nanos = time.nanoTime();
        if (held.sealed() || held.lapsed(nanos)) {
            slot = worker.confirm(held);
            return;
        }
        if (!held.fresh(nanos) && held.freshen(nanos, FRESH_NANOS)) {
            anchor();
            watch.consider(nanos);
        }
        long now = position(nanos) >> sequenceBits;
        long last = held.last();
        if (last == HeldSlot.SEALED) {
            return; // between the first look and this one; the next round sees to it
        }
        long next = after(last, now << sequenceBits);
        if (next > layout.lastPositionOf(maxTick)) {
            throw expired();
        }
        long lead = (next >> sequenceBits) - now;
        if (lead > borrowTicks + toleranceTicks) {
            slot = worker.stepAside(held, now + borrowTicks + toleranceTicks);
        } else if (lead > borrowTicks) {
            park(nanos, lead - borrowTicks);
        } else if (next > held.fence()) {
            slot = worker.extend(held, next);
        }
    }

    /** Reads the wall clock, and corrects the extrapolation if it lies outside the millisecond that was read. */
    private void anchor() {
        long before = time.nanoTime();
        long millis = time.epochMillis();
        for (int i = 1; i < TOGETHER_TRIES && time.nanoTime() - before > TOGETHER_NANOS; i++) {
            before = time.nanoTime();
            millis = time.epochMillis();
        }
        long sinceEpoch = Math.max(-MILLIS_MAX, Math.min(MILLIS_MAX, millis - layout.epochMillis()));
        if (sinceEpoch / layout.unitMillis() > maxTick) {
            throw expired();
        }
        long low = sinceEpoch * NANOS_PER_MILLI;
        long high = low + NANOS_PER_MILLI - 1;
        long guess = before + offset;
        if (guess < low) {
            offset += low - guess;
        } else if (guess > high) {
            offset -= guess - high;
        }
    }

    private RangeExhaustedException expired() {
        return new RangeExhaustedException("The layout ended at " + layout.expiry() + ": " + layout);
    }

    /** Waits until the clock is {@code ticks} units further, or a little longer where that saves waking up often. */
    private void park(long nanos, long ticks) {
        long intoUnit = Math.floorMod(nanos + offset, unitNanos);
        long least = ticks * unitNanos - intoUnit;
        long sleep = Math.max(least, Math.min(SLEEP_NANOS, borrowTicks * unitNanos / 4));
        long until = nanos + Math.min(sleep, SLEEP_NANOS_MAX);
        boolean interrupted = false;
        for (long left = until - nanos; left > 0; left = until - time.nanoTime()) {
            time.park(Duration.ofNanos(left));
            interrupted |= Thread.interrupted(); // an interrupted thread would not park, but spin
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private long ticks(Duration duration) {
        return Math.floorDiv(duration.toMillis() + layout.unitMillis() - 1, layout.unitMillis());
    }

    /** Collects the choices of a generator. Not thread-safe. */
    public static final class Builder {
        private static final Duration BORROW_DEFAULT = Duration.ofMillis(50);
        private static final Duration TOLERANCE_DEFAULT = Duration.ofSeconds(1);
        private static final Duration MAX = Duration.ofHours(1);

        private final IdLayout layout;
        private final WorkerId worker;
        private Duration borrow = BORROW_DEFAULT;
        private Duration tolerance = TOLERANCE_DEFAULT;

        private Builder(IdLayout layout, WorkerId worker) {
            this.layout = Objects.requireNonNull(layout, "layout");
            this.worker = Objects.requireNonNull(worker, "worker");
        }

        /**
         * How far IDs may run ahead of the clock in a burst, so that threads that wait at the rate limit can sleep
         * without losing any of it; 50 ms by default, at most 1 hour, and at least one unit of the layout.
         */
        public Builder borrow(Duration value) {
            this.borrow = bounded("Borrow", value);
            return this;
        }

        /** How far the clock may be set back for calls to wait for it; 1 s by default, at most 1 hour. */
        public Builder tolerance(Duration value) {
            this.tolerance = bounded("Tolerance", value);
            return this;
        }

        /**
         * The generator.
         *
         * @throws IllegalArgumentException if the layout's epoch is in the future, or the worker ID is not of this
         *     layout
         * @throws IllegalStateException if the worker ID has a generator already
         * @throws RangeExhaustedException if the layout has expired
         */
        public SnowflakeGenerator build() {
            return new SnowflakeGenerator(this);
        }

        private static Duration bounded(String name, Duration value) {
            if (value.isNegative() || value.compareTo(MAX) > 0) {
                throw new IllegalArgumentException(name + " must be between 0 and 1 hour: " + value);
            }
            return value;
        }
    }
}
