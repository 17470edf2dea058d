package dev.tenon.id;

import dev.tenon.id.spi.IdRange;

/** The arithmetic of positions (see {@link IdLayout}): which follows which, and the IDs that they make. Immutable. */
final class Positions {
    private final int sequenceBits;
    private final long sequenceMask;
    private final int workerBits;
    private final boolean workerLast;
    private final long seed;

    /**
     * @param seed of the places at which units of time begin: what is the same for two generators begins alike in both
     */
    Positions(IdLayout layout, long seed) {
        this.seed = seed;
        this.sequenceBits = layout.sequenceBits();
        this.sequenceMask = IdLayout.mask(sequenceBits);
        this.workerBits = layout.workerBits();
        this.workerLast = layout.workerIsLast();
    }

    long id(long position, long workerId) {
        return workerLast
                ? position << workerBits | workerId
                : (position & ~sequenceMask) << workerBits | workerId << sequenceBits | (position & sequenceMask);
    }

    /**
     * The position that follows {@code last} at the time {@code now}: the next one, or, where the clock has passed
     * that, one of the unit of time that begins with {@code now}. Which one looks random, so that IDs that are taken in
     * a rhythm are not made in one, and is the same each time that it is asked for.
     */
    long after(long last, long now) {
        long following = last + 1;
        return following >= now ? following : now | mixed(now ^ seed) & sequenceMask;
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): each bit depends on all of those that go in. */
    private static long mixed(long value) {
        long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** The last of the consecutive positions from {@code first} on whose IDs differ by the same step. */
    long evenEnd(long first) {
        return workerLast ? Long.MAX_VALUE - 1 : first | sequenceMask;
    }

    /** Writes the IDs of consecutive positions. */
    void spread(long[] ids, int from, int count, long first, int workerId) {
        long step = step();
        for (int done = 0; done < count; ) {
            long next = first + done;
            int run = (int) Math.min(count - done, evenEnd(next) - next + 1);
            long id = id(next, workerId);
            for (int i = 0; i < run; i++) {
                ids[from + done + i] = id + i * step;
            }
            done += run;
        }
    }

    /** The IDs of consecutive positions, up to {@link #evenEnd}. */
    IdRange range(long first, long count, int workerId) {
        return new IdRange(id(first, workerId), count, step());
    }

    /** By how much such IDs differ. */
    long step() {
        return workerLast ? 1L << workerBits : 1;
    }
}
