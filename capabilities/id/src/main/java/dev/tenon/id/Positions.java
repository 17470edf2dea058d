package dev.tenon.id;

import dev.tenon.id.spi.IdRange;

/** The arithmetic of positions (see {@link IdLayout}): which follows which, and the IDs that they make. Immutable. */
final class Positions {
    private final int sequenceBits;
    private final long sequenceMask;
    private final int workerBits;
    private final boolean workerLast;

    Positions(IdLayout layout) {
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

    /** The position that follows {@code last} at the time {@code now}: never back, and the sequence goes on. */
    long after(long last, long now) {
        long following = last + 1;
        return Math.max(following, now | (following & sequenceMask));
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
