package dev.tenon.lock.spi;

import java.time.Duration;

/** The answer to an {@link Acquire}. */
public sealed interface Outcome {
    /**
     * The lock is held by this request.
     *
     * @param token its fencing token; the same one each time the request is repeated
     * @param lease what is left of the lease, by the store's clock at the time of the answer
     */
    record Granted(long token, Duration lease) implements Outcome {}

    /**
     * The request stands in the queue; {@link StoreEvents#granted} will tell when its turn has come.
     *
     * @param ahead how many waiters stand before it
     * @param recheckAfter when to repeat the request if nothing was heard: by then the lease of the holder, and the
     *     claims of those ahead, have run out unless they were renewed
     */
    record Queued(int ahead, Duration recheckAfter) implements Outcome {}

    /**
     * Another request holds the lock, or waits for it, and this one did not want to queue.
     *
     * @param owner of the first holder, or of the first waiter where those who hold would let this one in
     * @param leaseLeft of the holders and the lock-delay, whatever lasts longest, by the store's clock
     */
    record Busy(String owner, Duration leaseLeft) implements Outcome {
        /** Stands for the owner where nobody holds or waits, but a lock-delay is not over. */
        public static final String LOCK_DELAY = "lock-delay";
    }

    /** The hold that was to be converted is over, or can't be converted so; nothing was granted or queued. */
    record NotHeld() implements Outcome {}

    /** The session of the request is not (or no longer) known to the store; nothing was granted or queued. */
    record NoSession() implements Outcome {}
}
