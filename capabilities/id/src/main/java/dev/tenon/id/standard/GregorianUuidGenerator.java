package dev.tenon.id.standard;

import dev.tenon.TimeSource;
import dev.tenon.id.RangeExhaustedException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/**
 * UUIDs of version 1 and of version 6, which has the same fields with the time in order: 100 ns ticks, a clock
 * sequence, a node. For systems that ask for them; others are better served by {@link EpochUuidGenerator version 7}.
 *
 * <ul>
 *   <li><b>Unique</b> everywhere, by chance: node (47 random bits) and the first clock sequence (14) are drawn for each
 *       generator. With a {@link Builder#node node of one's own}, as unique as that is. Within a generator, always, up
 *       to 16 384 steps back of the clock.
 *   <li><b>Order:</b> strictly increasing time per generator, across threads, until the clock is set back by more than
 *       0.1 s. Version 6 sorts by it (see {@link Rfc9562#ORDER}), version 1 does not.
 *   <li><b>Rate limit:</b> 10 million a second, one each tick, on average; a burst may run 0.1 s ahead of the clock,
 *       and then callers are parked.
 *   <li><b>Clock:</b> read for each UUID, in milliseconds; ticks within one are a counter. Set back by up to 0.1 s, the
 *       generator counts on from where it was. Further, it goes back with the clock and takes the next clock sequence,
 *       so that nothing is repeated (section 5.1); after all 16 384 it stays at the time that it has reached and counts
 *       on.
 *   <li><b>Store:</b> none: node and clock sequence are not kept over a restart, but drawn anew, as section 6.3
 *       advises.
 * </ul>
 *
 * <p><b>What can be guessed:</b> all of it. The node tells which UUIDs have one maker, and the ticks when and how many.
 *
 * <p>Source: RFC 9562, sections 5.1, 5.6, 6.1, 6.3, 6.10. Thread-safe, without locks.
 */
public final class GregorianUuidGenerator implements UuidGenerator {
    private static final long MULTICAST = 1L << 40;
    /** How far ahead of the clock ticks may run. */
    private static final long LEAD_MAX = 100 * Gregorian.TICKS_PER_MILLI;
    /** Between the lead that issuing alone can reach, and the one that only a clock that was set back can explain. */
    private static final long PARK_MAX = 10 * Gregorian.TICKS_PER_MILLI;

    private static final Duration PARK = Duration.ofMillis(1);
    private static final long MILLIS_MAX = (Gregorian.TICK_MAX - Gregorian.EPOCH_TICK) / Gregorian.TICKS_PER_MILLI;
    private static final long MILLIS_MIN = -Gregorian.EPOCH_TICK / Gregorian.TICKS_PER_MILLI;

    private final TimeSource time;
    private final boolean ordered;
    private final long node;
    private final AtomicReference<Run> run;

    private GregorianUuidGenerator(Builder builder) {
        this.time = builder.time;
        this.ordered = builder.version == 6;
        this.node = builder.node >= 0 ? builder.node : builder.random.nextLong() & Gregorian.NODE_MAX | MULTICAST;
        int sequence = builder.sequence >= 0 ? builder.sequence : builder.random.nextInt(Gregorian.SEQUENCE_MAX + 1);
        this.run = new AtomicReference<>(new Run(sequence, sequence, new AtomicLong(-1)));
    }

    /** A generator of version 1 by the system's clock, with a random node and clock sequence. */
    public static GregorianUuidGenerator version1() {
        return builder(1).build();
    }

    /** A generator of version 6 by the system's clock, with a random node and clock sequence. */
    public static GregorianUuidGenerator version6() {
        return builder(6).build();
    }

    /**
     * Begins a generator.
     *
     * @param version 1 or 6
     */
    public static Builder builder(int version) {
        return new Builder(version);
    }

    /**
     * The next UUID. Waits at the rate limit.
     *
     * @throws RangeExhaustedException if the clock is past the year 5236, where the timestamp ends
     */
    @Override
    public UUID nextUuid() {
        boolean interrupted = false;
        while (true) {
            Run current = Objects.requireNonNull(run.get());
            // In this order: a thread that is held up in between finds the clock too far on, never set back.
            long last = current.last.get();
            long now = now();
            long lead = last - now;
            if (lead < LEAD_MAX || current.isLast()) {
                long next = Math.max(now, last + 1);
                if (next > Gregorian.TICK_MAX) {
                    throw new RangeExhaustedException("Versions 1 and 6 end at " + Gregorian.instant(Gregorian.TICK_MAX)
                            + ", and the clock says " + time.now() + "; set it right");
                }
                if (current.last.compareAndSet(last, next)) {
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    return uuid(next, current.sequence);
                }
            } else if (lead < LEAD_MAX + PARK_MAX) {
                time.park(PARK);
                interrupted |= Thread.interrupted(); // an interrupted thread would not park, but spin
            } else {
                run.compareAndSet(current, current.following(now));
            }
        }
    }

    private UUID uuid(long tick, int sequence) {
        long low = Gregorian.low(sequence, node);
        return ordered ? Gregorian.version6(tick, low) : Gregorian.version1(tick, low);
    }

    private long now() {
        long millis = Math.min(MILLIS_MAX, Math.max(MILLIS_MIN, time.epochMillis()));
        return Gregorian.EPOCH_TICK + millis * Gregorian.TICKS_PER_MILLI;
    }

    /** The ticks of one clock sequence: a thread that still has an old one issues what no other can. */
    private record Run(int first, int sequence, AtomicLong last) {
        Run following(long now) {
            return new Run(first, next(), new AtomicLong(now - 1));
        }

        boolean isLast() {
            return next() == first;
        }

        private int next() {
            return sequence + 1 & Gregorian.SEQUENCE_MAX;
        }
    }

    /** Collects the choices of a generator. Not thread-safe. */
    public static final class Builder {
        private final int version;
        private TimeSource time = TimeSource.system();
        private RandomGenerator random = new SecureRandom();
        private long node = -1;
        private int sequence = -1;

        private Builder(int version) {
            if (version != 1 && version != 6) {
                throw new IllegalArgumentException("Version must be 1 or 6: " + version);
            }
            this.version = version;
        }

        /** The clock; the system's by default. */
        public Builder time(TimeSource value) {
            this.time = Objects.requireNonNull(value, "time");
            return this;
        }

        /**
         * Where a random node and clock sequence come from when the generator is built; a {@link SecureRandom} by
         * default.
         */
        public Builder random(RandomGenerator value) {
            this.random = Objects.requireNonNull(value, "random");
            return this;
        }

        /**
         * The node, 48 bits, in place of a random one: an IEEE 802 address, or any number with the multicast bit
         * ({@code 1 << 40}) set. No two generators may have it at a time. A hardware address tells the world which
         * machine it was.
         */
        public Builder node(long value) {
            if (value < 0 || value > Gregorian.NODE_MAX) {
                throw new IllegalArgumentException("A node has 48 bits: 0x" + Long.toHexString(value));
            }
            this.node = value;
            return this;
        }

        /** The first clock sequence, 0 to 16383, in place of a random one. */
        public Builder clockSequence(int value) {
            if (value < 0 || value > Gregorian.SEQUENCE_MAX) {
                throw new IllegalArgumentException("A clock sequence is 0 to 16383: " + value);
            }
            this.sequence = value;
            return this;
        }

        /** The generator. */
        public GregorianUuidGenerator build() {
            return new GregorianUuidGenerator(this);
        }
    }
}
