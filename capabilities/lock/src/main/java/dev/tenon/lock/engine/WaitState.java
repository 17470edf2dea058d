package dev.tenon.lock.engine;

/**
 * Where an acquire request stands. The transitions are these; any other input leaves the state as it is:
 *
 * <pre>
 *             asked      queued      granted      cancelled     ended
 * IDLE        ASKING                 CONFIRMING   ENDED         ENDED
 * ASKING                 QUEUED                   CANCELLING    ENDED
 * QUEUED      ASKING                 CONFIRMING   ENDED         ENDED
 * CONFIRMING             QUEUED                   CANCELLING    ENDED
 * CANCELLING                                                    ENDED
 * ENDED
 * </pre>
 */
enum WaitState {
    /** Not asked yet. */
    IDLE,
    /** The store was asked, and has not answered. */
    ASKING,
    /** In the store's queue. */
    QUEUED,
    /** The lock was handed over, and it is being made sure that it counts. */
    CONFIRMING,
    /** Given up while a step was under way: what that gets is given back. */
    CANCELLING,
    /** Over. */
    ENDED;

    /** Whether a step is under way. */
    boolean isBusy() {
        return this == ASKING || this == CONFIRMING || this == CANCELLING;
    }

    /** The caller asks. */
    WaitState asked() {
        return this == IDLE || this == QUEUED ? ASKING : this;
    }

    /** A step has led to a place in the queue. */
    WaitState queued() {
        return this == ASKING || this == CONFIRMING ? QUEUED : this;
    }

    /** The store hands the lock over. */
    WaitState granted() {
        return this == IDLE || this == QUEUED ? CONFIRMING : this;
    }

    /** The caller gives up. */
    WaitState cancelled() {
        return isBusy() ? CANCELLING : ENDED;
    }
}
