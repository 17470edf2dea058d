package dev.tenon.id;

import dev.tenon.TimeSource;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A worker ID that the deployer chose. */
final class FixedWorkerId extends WorkerId {
    private final int value;
    private volatile @Nullable HeldSlot held;
    private volatile boolean closed;

    FixedWorkerId(int value, TimeSource time) {
        super(time);
        if (value < 0) {
            throw new IllegalArgumentException("Worker ID must be 0 or more: " + value);
        }
        this.value = value;
    }

    @Override
    public int value() {
        return value;
    }

    /** Begins after everything that an earlier process, whose clock was not ahead, can have borrowed. */
    @Override
    HeldSlot begin(IdLayout layout, long borrowTicks) {
        if (value >= layout.workers()) {
            throw new IllegalArgumentException(
                    "Worker ID must be less than " + layout.workers() + " in this layout: " + value);
        }
        long first = layout.tickOf(time().epochMillis()) + borrowTicks + 1;
        long sequence = ThreadLocalRandom.current().nextLong(1L << layout.sequenceBits());
        HeldSlot slot = HeldSlot.fixed(
                value,
                first << layout.sequenceBits() | sequence,
                layout.lastPositionOf(layout.maxTick()),
                time().nanoTime());
        held = slot;
        if (closed) {
            slot.seal();
        }
        return slot;
    }

    @Override
    HeldSlot confirm(HeldSlot seen) {
        throw new IllegalStateException("Worker ID " + value + " is closed");
    }

    @Override
    HeldSlot extend(HeldSlot seen, long position) {
        throw new IllegalStateException("A fixed worker ID has no fence");
    }

    @Override
    HeldSlot stepAside(HeldSlot seen, long tickMax) {
        throw new ClockMovedBackwardsException("The clock was set back, and the worker ID is fixed (" + value + ")");
    }

    @Override
    public void close() {
        closed = true;
        HeldSlot slot = held;
        if (slot != null) {
            slot.seal();
        }
    }
}
