package dev.tenon.id;

import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * IDs made of time, worker and sequence, without a call.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of the same layout and epoch whose worker IDs come from one group; see
 *       {@link WorkerId} for what a fixed worker ID leaves to the deployer.
 *   <li><b>Order:</b> in the {@link Lane#STRICT strict lane}, which is the default, strictly increasing per generator,
 *       across threads; in the {@link Lane#STRIPED striped lane}, strictly increasing per thread, and by time to within
 *       10 ms (or one unit of the layout) among threads. The one exception is a clock that is set back further than is
 *       waited for: a leased worker ID is then changed for a spare one, and IDs go on from the clock's time. Between
 *       generators, by time as far as their clocks agree.
 *   <li><b>Rate limit:</b> {@link IdLayout#idsPerSecond()} on average. At the limit callers are parked, not spun. A
 *       burst may run ahead of the clock by the {@link Builder#borrow borrowed time} at most. The striped lane may
 *       leave up to 1 % of the positions unused.
 *   <li><b>Clock:</b> the monotonic one is read for every ID (where they come faster than half a million a second,
 *       for every 256th or less and once a millisecond), the wall clock once a millisecond. Set back by up to the
 *       {@link Builder#tolerance tolerance}, calls wait for it where borrowing does not suffice; further, see above;
 *       without a spare worker ID they throw {@link ClockMovedBackwardsException}. Set forward, the store is asked to
 *       reserve the time first. At the layout's {@link IdLayout#expiry} they throw {@link RangeExhaustedException}.
 *   <li><b>Store:</b> asked in the background only. While it is away, IDs go on as long as the lease lasts; after
 *       that, and when the lease was taken away and no other can be had, calls throw {@link
 *       dev.tenon.LeaseLostException}.
 * </ul>
 *
 * <p>Each unit of time begins with a sequence that looks random, and not with 0, so that {@code id % 2ⁿ} is uniform at
 * any rate (in layouts with the sequence last), also for rows whose IDs are drawn in a rhythm, such as the first of
 * sixteen that each request takes. At the rate limit, where no unit begins before the one before is used up, the
 * sequence goes on. Thread-safe, without locks, and without garbage per ID.
 */
public final class SnowflakeGenerator implements IdGenerator {
    /** How long the wall clock is extrapolated by the monotonic one before it is read again. */
    private static final long FRESH_NANOS = Duration.ofMillis(1).toNanos();
    /** No block is cut, or gone on with, so shortly before a lease ends: it would have to be called in in time. */
    private static final long LEASE_LEFT_NANOS_MIN = Duration.ofMillis(50).toNanos();

    /** In place of a position. */
    private static final long NONE = -1;

    private final IdLayout layout;
    private final WorkerId worker;
    private final PositionClock clock;
    private final Positions positions;
    private final long borrowTicks;
    private final long borrowSpan;
    private final long toleranceTicks;
    private final ClockWatch watch;
    /** None in the strict lane. */
    private final @Nullable StripeTable stripes;

    private volatile HeldSlot slot;

    private SnowflakeGenerator(Builder builder) {
        this.layout = builder.layout;
        this.worker = builder.worker;
        this.clock = new PositionClock(layout, worker.time());
        this.positions = new Positions(layout, ThreadLocalRandom.current().nextLong());
        // A sequence that goes on from unit to unit needs the next unit to end a full one.
        this.borrowTicks = Math.max(1, clock.ticks(builder.borrow));
        this.borrowSpan = layout.lastPositionOf(borrowTicks);
        this.toleranceTicks = clock.ticks(builder.tolerance) + 1;
        StripeTable table = builder.lane == Lane.STRIPED ? new StripeTable(layout, builder.places) : null;
        this.stripes = table;
        this.slot = worker.attach(layout, borrowTicks);
        this.watch = new ClockWatch(worker.time(), () -> slot, table == null ? () -> {} : table::clear);
        clock.anchor();
        clock.warnOfExpiry(builder.warnAhead);
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

    /** What spares this the readings of the clock. */
    ClockWatch watch() {
        return watch;
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
        StripeTable table = stripes;
        if (table == null) {
            return nextIdOfAll();
        }
        Thread thread = Thread.currentThread();
        Stripe first = table.first(thread);
        return first != null && first.liveFor(thread) ? first.take() : nextIdOfBlock(table, thread);
    }

    private long nextIdOfAll() {
        HeldSlot held = slot;
        long last = held.last();
        while (last < held.ceiling()) { // never so for a sealed slot
            if (held.advance(last, last + 1)) {
                return positions.id(last + 1, held.workerId());
            }
            last = held.last();
        }
        return nextIdByClock();
    }

    private long nextIdByClock() {
        while (true) {
            HeldSlot held = slot;
            long nanos = clock.nanoTime();
            if (held.fresh(nanos)) {
                long now = clock.position(nanos);
                long limit = limit(held, now);
                long next = take(held, now, limit, 1);
                if (next != NONE) {
                    watch.issued(held, Math.min(limit, next + ClockWatch.RUN));
                    return positions.id(next, held.workerId());
                }
            }
            prepare(held);
        }
    }

    /** The greatest position that may be issued at the time {@code now}. */
    private long limit(HeldSlot held, long now) {
        return Math.min(now + borrowSpan, held.fence());
    }

    /**
     * Takes the next positions, {@code wanted} or as many as there are up to {@code limit}.
     *
     * @return the first, or {@link #NONE} where there is nothing to be had without {@link #prepare}
     */
    private long take(HeldSlot held, long now, long limit, long wanted) {
        for (long last = held.last(); last != HeldSlot.SEALED; last = held.last()) {
            long first = positions.after(last, now);
            if (first > limit) {
                return NONE;
            }
            if (held.advance(last, Math.min(first + wanted - 1, limit))) {
                return first;
            }
        }
        return NONE;
    }

    /**
     * An ID for a thread that has no live block: from the one it has, if the clock allows, or from another; with little
     * to do, little of the lease left, or no place for a block, as in the strict lane.
     */
    private long nextIdOfBlock(StripeTable table, Thread thread) {
        while (true) {
            HeldSlot held = slot;
            Pulse pulse = held.pulse();
            long beat = pulse.beats(); // before the clock: what the clock allows now lasts until the next beat
            Stripe mine = table.of(thread);
            if (mine != null && mine.ready(positions)) {
                return mine.take();
            }
            long nanos = clock.nanoTime();
            if (!watch.on() || table.block() == 1 || held.lapsed(nanos + LEASE_LEFT_NANOS_MIN)) {
                if (mine != null) {
                    mine.drop(); // it is less than what comes now
                }
                return nextIdOfAll();
            }
            if (beat != Pulse.ENDED && held.fresh(nanos)) {
                long now = clock.position(nanos);
                Stripe ours = mine != null ? mine : table.claim(thread, pulse, beat);
                if (ours == null) {
                    return nextIdOfAll();
                }
                if (ours.resume(positions, pulse, beat, now - table.ageSpan())
                        || cut(ours, held, beat, now, table.block())) {
                    return ours.take();
                }
            }
            prepare(held);
        }
    }

    /** Cuts a block from what all threads share; false if there is nothing to be had without {@link #prepare}. */
    private boolean cut(Stripe mine, HeldSlot held, long beat, long now, long block) {
        long limit = limit(held, now);
        long first = take(held, now, limit, block);
        if (first == NONE) {
            return false;
        }
        if (mine.issuedAll()) {
            watch.blockUsedUp();
        }
        mine.begin(positions, held, beat, first, Math.min(block, limit - first + 1));
        return true;
    }

    /**
     * Fills an array with increasing IDs, those of one call to the clock in one step. Throws as {@link #nextId} does.
     */
    @Override
    public void fill(long[] ids) {
        int filled = 0;
        Stripe mine = stripe();
        if (mine != null) {
            while (filled < ids.length && mine.ready(positions)) {
                filled += mine.take(ids, filled, ids.length - filled);
            }
            if (filled < ids.length) {
                mine.drop();
            }
        }
        while (filled < ids.length) {
            HeldSlot held = slot;
            long nanos = clock.nanoTime();
            int taken = 0;
            if (held.fresh(nanos)) {
                long now = clock.position(nanos);
                long limit = limit(held, now);
                long first = take(held, now, limit, ids.length - filled);
                if (first != NONE) {
                    taken = (int) Math.min(ids.length - filled, limit - first + 1);
                    positions.spread(ids, filled, taken, first, held.workerId());
                }
            }
            filled += taken;
            if (taken == 0) {
                prepare(held);
            }
        }
    }

    /**
     * Takes several IDs in one step: at least one, at most {@code count}, each of which decodes as any other. Where
     * the sequence is the lowest field they are consecutive numbers of one unit of time, and so at most {@code
     * 2^sequenceBits}; where the worker is, they differ by {@code 2^workerBits} and may go on through units. They
     * are in the order of {@link #nextId}. Throws as {@link #nextId} does.
     *
     * @param count 1 or more
     */
    public IdRange nextRange(int count) {
        IdRange.requireCount(count);
        Stripe mine = stripe();
        if (mine != null) {
            if (mine.ready(positions)) {
                return mine.take(count);
            }
            mine.drop();
        }
        while (true) {
            HeldSlot held = slot;
            long nanos = clock.nanoTime();
            if (held.fresh(nanos)) {
                long now = clock.position(nanos);
                long next = positions.after(Math.min(held.last(), HeldSlot.SEALED - 1), now);
                long limit = Math.min(limit(held, now), positions.evenEnd(next));
                long first = take(held, now, limit, count);
                if (first != NONE) {
                    return positions.range(first, Math.min(count, limit - first + 1), held.workerId());
                }
            }
            prepare(held);
        }
    }

    private @Nullable Stripe stripe() {
        StripeTable table = stripes;
        return table == null ? null : table.of(Thread.currentThread());
    }

    /** Finds out why no ID could be issued, and does away with the reason, waits a while, or throws. */
    private void prepare(HeldSlot held) {
        long nanos = clock.nanoTime();
        if (held.sealed() || held.lapsed(nanos)) {
            slot = worker.confirm(held);
            return;
        }
        if (!held.fresh(nanos) && held.freshen(nanos, FRESH_NANOS)) {
            clock.anchor();
            watch.consider(nanos);
        }
        long now = clock.position(nanos) >> layout.sequenceBits();
        long last = held.last();
        if (last == HeldSlot.SEALED) {
            return; // between the first look and this one; the next round sees to it
        }
        long next = positions.after(last, now << layout.sequenceBits());
        if (next > layout.lastPositionOf(layout.maxTick())) {
            throw clock.expired();
        }
        long lead = (next >> layout.sequenceBits()) - now;
        if (lead > borrowTicks + toleranceTicks) {
            slot = worker.stepAside(held, now + borrowTicks + toleranceTicks);
        } else if (lead > borrowTicks) {
            clock.park(nanos, lead - borrowTicks, borrowTicks);
        } else if (next > held.fence()) {
            slot = worker.extend(held, next);
        }
    }

    /** Collects the choices of a generator. Not thread-safe. */
    public static final class Builder {
        static final Duration BORROW_DEFAULT = Duration.ofMillis(50);
        private static final Duration TOLERANCE_DEFAULT = Duration.ofSeconds(1);
        private static final Duration MAX = Duration.ofHours(1);

        private final IdLayout layout;
        private final WorkerId worker;
        private Duration borrow = BORROW_DEFAULT;
        private Duration tolerance = TOLERANCE_DEFAULT;
        private Duration warnAhead = Duration.ofDays(365);
        private Lane lane = Lane.STRICT;
        private int places = StripeTable.placesForThisMachine();

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
         * How long before the layout's expiry a generator that is built warns of it, once, at the level WARNING of the
         * {@link System.Logger} that has the name of this class; 365 days by default, {@link Duration#ZERO}: never.
         */
        public Builder warnAhead(Duration value) {
            this.warnAhead = Objects.requireNonNull(value, "warnAhead");
            return this;
        }

        /** How threads share the sequence; {@link Lane#STRICT} by default. */
        public Builder lane(Lane value) {
            this.lane = Objects.requireNonNull(value, "lane");
            return this;
        }

        /** How many threads can have blocks at a time: a power of two. */
        Builder places(int value) {
            this.places = value;
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
