package dev.tenon.lock.engine;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where an attempt to acquire a lock stands, wherever it is made: in the library, in the server, or over several
 * stores. From each state it may go to these, and to itself:
 *
 * <pre>
 * IDLE        → ASKING, CONFIRMING, HELD, ENDED
 * ASKING      → QUEUED, CONFIRMING, HELD, CANCELLING, ENDED
 * QUEUED      → ASKING, CONFIRMING, HELD, CANCELLING, ENDED
 * CONFIRMING  → ASKING, QUEUED, HELD, CANCELLING, ENDED
 * CANCELLING  → CONFIRMING, HELD, ENDED
 * HELD, ENDED → nowhere
 * </pre>
 */
public enum WaitState {
    /** Not asked yet: in a line of this process, perhaps. */
    IDLE,
    /** The store was asked, and has not answered. */
    ASKING,
    /** In the store's queue, or before another attempt. */
    QUEUED,
    /** The store has handed the lock over, and it is being made sure that this still counts. */
    CONFIRMING,
    /** Given up, and the store is being told so; it may turn out that the lock was granted. */
    CANCELLING,
    /** The lock was acquired. */
    HELD,
    /** Nothing, or a failure. What the store may grant after that is given back. */
    ENDED;

    /** Whether it may go from here to there. */
    public boolean leadsTo(WaitState next) {
        return next == this || next().contains(next);
    }

    private Set<WaitState> next() {
        return switch (this) {
            case IDLE -> EnumSet.of(ASKING, CONFIRMING, HELD, ENDED);
            case ASKING -> EnumSet.of(QUEUED, CONFIRMING, HELD, CANCELLING, ENDED);
            case QUEUED -> EnumSet.of(ASKING, CONFIRMING, HELD, CANCELLING, ENDED);
            case CONFIRMING -> EnumSet.of(ASKING, QUEUED, HELD, CANCELLING, ENDED);
            case CANCELLING -> EnumSet.of(CONFIRMING, HELD, ENDED);
            case HELD, ENDED -> EnumSet.noneOf(WaitState.class);
        };
    }

    /** Whether an answer of the store is awaited. */
    public boolean isBusy() {
        return this == ASKING || this == CONFIRMING || this == CANCELLING;
    }

    /** Whether it has ended, one way or the other. */
    public boolean isOver() {
        return this == HELD || this == ENDED;
    }
}
