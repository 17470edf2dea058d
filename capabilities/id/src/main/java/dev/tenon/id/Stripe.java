package dev.tenon.id;

import dev.tenon.id.spi.IdRange;

/**
 * A thread's block of positions: cut from the claim's one counter, so that no other thread has them, and reserved
 * under its fence. It is issued as <em>runs</em> of IDs that differ by the same step, so that an ID costs an addition.
 * Only its owner reads and writes the block; others look at {@link #idle} alone, and may be wrong about it.
 */
final class Stripe extends Padding {
    private final Thread owner;
    private Pulse pulse;
    private long beat;
    private long nextId;
    private long endId;
    private long step;
    /** What of the block comes after the run. */
    private long nextPosition;

    private long endPosition;
    private int workerId;

    Stripe(Thread owner, Pulse pulse) {
        this.owner = owner;
        this.pulse = pulse;
    }

    boolean ownedBy(Thread thread) {
        return owner == thread;
    }

    /** Whether this is that thread's, the run has IDs left, and the clock was looked at since the pulse's last beat. */
    boolean liveFor(Thread thread) {
        return owner == thread && nextId < endId && beat == pulse.beats();
    }

    /** The next ID of a live run. */
    long take() {
        long id = nextId;
        nextId = id + step;
        return id;
    }

    /** Takes up to {@code wanted} IDs of a run. */
    int take(long[] ids, int from, int wanted) {
        int count = left(wanted);
        for (int i = 0; i < count; i++) {
            ids[from + i] = nextId + i * step;
        }
        nextId += count * step;
        return count;
    }

    /** Takes up to {@code wanted} IDs of a run. */
    IdRange take(int wanted) {
        IdRange range = new IdRange(nextId, left(wanted), step);
        nextId += range.count() * step;
        return range;
    }

    private int left(int wanted) {
        return (int) Math.min(wanted, (endId - nextId) / step);
    }

    /** As {@link #liveFor}, and begins the next run of a block where one has ended. */
    boolean ready(Positions positions) {
        if (beat != pulse.beats() || usedUp()) {
            return false;
        }
        if (nextId == endId) {
            beginRun(positions);
        }
        return true;
    }

    private boolean usedUp() {
        return nextId == endId && nextPosition == endPosition;
    }

    /** Whether there was a block, and it was issued to its end. */
    boolean issuedAll() {
        return endPosition != 0 && usedUp();
    }

    /**
     * Goes on with the block after a look at the clock, if there is something left of it, it is of the claim with this
     * pulse, and what is left is not before {@code oldest}.
     *
     * @param beatNow read from the pulse before the clock was
     */
    boolean resume(Positions positions, Pulse now, long beatNow, long oldest) {
        if (pulse != now || nextPosition <= oldest) {
            return false;
        }
        beat = beatNow;
        return ready(positions);
    }

    /** Begins a block of {@code count} positions. */
    void begin(Positions positions, HeldSlot held, long beatNow, long first, long count) {
        pulse = held.pulse();
        beat = beatNow;
        workerId = held.workerId();
        step = positions.step();
        nextPosition = first;
        endPosition = first + count;
        beginRun(positions);
    }

    private void beginRun(Positions positions) {
        long count = Math.min(endPosition, positions.evenEnd(nextPosition) + 1) - nextPosition;
        nextId = positions.id(nextPosition, workerId);
        endId = nextId + count * step;
        nextPosition += count;
    }

    /** Gives up what is left: the owner issues something greater now. */
    void drop() {
        nextId = 0;
        endId = 0;
        nextPosition = 0;
        endPosition = 0;
    }

    /** Whether this was not used for more than {@code beats} of a pulse, as far as another thread can see. */
    boolean idle(Pulse now, long beatNow, long beats) {
        return pulse != now || beatNow - beat > beats;
    }
}
