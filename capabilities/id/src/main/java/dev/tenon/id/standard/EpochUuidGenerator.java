package dev.tenon.id.standard;

import dev.tenon.TimeSource;
import dev.tenon.id.RangeExhaustedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * UUIDs of version 7: milliseconds since 1970, a counter, and random bits. The right UUID for a primary key, since new
 * rows go to the end of the index.
 *
 * <ul>
 *   <li><b>Unique</b> everywhere, by chance: two generators collide only if the millisecond, a counter that begins
 *       anew at 17 random bits in each millisecond, and 56 random bits are all the same. Within a generator, always.
 *   <li><b>Order:</b> strictly increasing per generator, across threads, in the order of the RFC, which {@link
 *       Rfc9562#ORDER} has and {@link UUID#compareTo} has not. Between generators, by time as far as their clocks
 *       agree.
 *   <li><b>Rate limit:</b> none. A counter that overflows (131 072 UUIDs in a millisecond always fit) goes on in the
 *       next millisecond, ahead of the clock.
 *   <li><b>Clock:</b> read for each UUID; where they come faster than half a million a second, for every 256th and once
 *       a millisecond. Set back, the generator stays at the time that it has reached, and counts on, until the clock is
 *       there again; it never waits or throws for that. Set forward, it follows. Past the year 3084 it throws {@link
 *       RangeExhaustedException}.
 *   <li><b>Store:</b> none.
 * </ul>
 *
 * <p><b>What can be guessed:</b> when it was made, to the millisecond; that two of one millisecond are n − 1 apart if
 * their counters are; the next counter. <b>What can't:</b> the other 56 bits, however many UUIDs of the generator are
 * known: they are SipHash-2-4 of the time and counter under a key of 128 bits from {@link SecureRandom} that each
 * generator has for itself. An attacker that reads the memory of the process can compute them all. RFC 9562, section 8:
 * a UUID is not a credential; do not take one for a password or a session.
 *
 * <p>Source: RFC 9562, sections 5.7 and 6.2 (method 1, 18 bits of counter with the top one clear at first).
 * Thread-safe, without locks; nothing is allocated but the UUID.
 */
public final class EpochUuidGenerator implements UuidGenerator {
    static final int COUNTER_BITS = 18;

    private static final int LOW_COUNTER_BITS = COUNTER_BITS - 12;
    private static final long SEED_MASK = (1L << COUNTER_BITS - 1) - 1;
    private static final long MILLIS_MAX = Long.MAX_VALUE >> COUNTER_BITS;
    private static final int RANDOM_BITS = 62 - LOW_COUNTER_BITS;
    private static final long VERSION = 7L << 12;
    private static final long VARIANT = 1L << 63;

    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(EpochUuidGenerator.class, "last", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TimeSource time;
    private final SipHash hash;
    private final RunWatch watch;

    /** Milliseconds and counter of the last UUID: one number, so that one step takes the next for good. */
    private volatile long last = -1;

    private EpochUuidGenerator(Builder builder) {
        this.time = builder.time;
        this.hash = new SipHash(builder.random);
        this.watch = new RunWatch(time);
    }

    /** A generator by the system's clock. */
    public static EpochUuidGenerator create() {
        return builder().build();
    }

    /** Begins a generator. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The next UUID.
     *
     * @throws RangeExhaustedException if the clock is past the year 3084
     */
    @Override
    public UUID nextUuid() {
        long before = last;
        while (before < watch.ceiling()) {
            if (LAST.compareAndSet(this, before, before + 1)) {
                return uuid(before + 1);
            }
            before = last;
        }
        return nextByClock();
    }

    private UUID nextByClock() {
        long millis = Math.max(0, time.epochMillis());
        if (millis > MILLIS_MAX) {
            throw new RangeExhaustedException("Version 7 is made here until " + Instant.ofEpochMilli(MILLIS_MAX)
                    + ", and the clock says " + Instant.ofEpochMilli(millis) + "; set it right");
        }
        long first = millis << COUNTER_BITS;
        long before = last;
        long next = next(before, first);
        while (!LAST.compareAndSet(this, before, next)) {
            before = last;
            next = next(before, first);
        }
        watch.issued(millis, next);
        return uuid(next);
    }

    private long next(long before, long first) {
        // The complement is negative, and so never the word of a UUID's own random bits.
        return before >= first ? before + 1 : first | (hash.of(~first) & SEED_MASK);
    }

    private UUID uuid(long place) {
        long high = place >>> COUNTER_BITS << 16 | VERSION | (place >>> LOW_COUNTER_BITS & 0xfff);
        long counterLow = place & (1L << LOW_COUNTER_BITS) - 1;
        return new UUID(high, VARIANT | counterLow << RANDOM_BITS | hash.of(place) >>> Long.SIZE - RANDOM_BITS);
    }

    /** Collects the choices of a generator. Not thread-safe. */
    public static final class Builder {
        private TimeSource time = TimeSource.system();
        private RandomGenerator random = new SecureRandom();

        private Builder() {}

        /** The clock; the system's by default. */
        public Builder time(TimeSource value) {
            this.time = Objects.requireNonNull(value, "time");
            return this;
        }

        /**
         * Where the key comes from, once, when the generator is built; a {@link SecureRandom} by default. An attacker
         * that can repeat its numbers can compute every UUID.
         */
        public Builder random(RandomGenerator value) {
            this.random = Objects.requireNonNull(value, "random");
            return this;
        }

        /** The generator. */
        public EpochUuidGenerator build() {
            return new EpochUuidGenerator(this);
        }
    }
}
