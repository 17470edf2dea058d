package dev.tenon.id.standard;

import java.time.Instant;
import java.util.UUID;

/**
 * The timestamp of versions 1 and 6: 60 bits of 100 ns since 1582-10-15, when the Gregorian calendar began (section
 * 5.1).
 */
final class Gregorian {
    static final long TICKS_PER_MILLI = 10_000;
    static final long TICK_MAX = (1L << 60) - 1;
    static final int SEQUENCE_MAX = (1 << 14) - 1;
    static final long NODE_MAX = (1L << 48) - 1;

    /** Ticks from the beginning of the calendar to 1970-01-01. */
    static final long EPOCH_TICK = 0x01b21dd213814000L;

    private static final long TICKS_PER_SECOND = 10_000_000;
    private static final long NANOS_PER_TICK = 100;

    private Gregorian() {}

    static Instant instant(long tick) {
        long sinceEpoch = tick - EPOCH_TICK;
        return Instant.ofEpochSecond(
                Math.floorDiv(sinceEpoch, TICKS_PER_SECOND),
                Math.floorMod(sinceEpoch, TICKS_PER_SECOND) * NANOS_PER_TICK);
    }

    /** The lower half of both versions. */
    static long low(int sequence, long node) {
        return Rfc9562.VARIANT_BIT | (long) sequence << 48 | node;
    }

    static UUID version1(long tick, long low) {
        return new UUID(tick << 32 | (tick >>> 32 & 0xffff) << 16 | 1 << 12 | tick >>> 48, low);
    }

    static UUID version6(long tick, long low) {
        return new UUID(tick >>> 12 << 16 | 6 << 12 | tick & 0xfff, low);
    }
}
