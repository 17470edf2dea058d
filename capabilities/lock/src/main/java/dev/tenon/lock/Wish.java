package dev.tenon.lock;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Session;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is wanted of a lock.
 *
 * @param name of the lock
 * @param options how it is to be held
 * @param terms in which way
 * @param gated whether one at a time in this process may ask for it: others could not hold it meanwhile, and would only
 *     queue
 * @param owner what the holder is to be called in the store; empty: by process and thread
 */
record Wish(String name, LockOptions options, Acquire.Terms terms, boolean gated, Optional<String> owner) {
    static Wish of(String name, LockMode mode, LockOptions options) {
        Acquire.Terms terms = Acquire.Terms.of(mode).withLockDelay(options.lockDelay());
        return new Wish(
                name,
                options,
                options.fair() ? terms : terms.barging(),
                mode.equals(LockMode.EXCLUSIVE),
                Optional.empty());
    }

    /** The same lock in another mode, in place of a hold. */
    Wish converting(LockMode mode, long token) {
        Acquire.Terms converted = new Acquire.Terms(mode, terms.fair(), terms.lockDelay(), OptionalLong.of(token));
        return new Wish(name, options, converted, false, owner);
    }

    /** The same, past the line of this process. */
    Wish ungated() {
        return new Wish(name, options, terms, false, owner);
    }

    /** The same, by a holder of this name. */
    Wish as(String ownerName) {
        return new Wish(name, options, terms, gated, Optional.of(ownerName));
    }

    /**
     * Whether a hold may go on to the next thread of this process: not where the store would show the wrong holder's
     * value.
     */
    boolean handsOver() {
        return gated && owner.isEmpty() && options.handedOver() && options.renewed();
    }

    /** Refuses a time to wait that is none. */
    static void requireWait(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        if (wait.isZero() || wait.isNegative() || wait.compareTo(Acquire.WAIT_MAX) > 0) {
            throw new IllegalArgumentException(
                    "Wait must be more than zero and at most " + Acquire.WAIT_MAX + ": " + wait);
        }
    }

    /** What to ask the store for. */
    Acquire asAcquire(Session session, String requestId, String holder, Duration wait) {
        return new Acquire(name, session.id(), requestId, holder, Optional.of(options.lease()), wait, terms);
    }

    /** A renewal to its full length. */
    Renew asRenew(long token) {
        return new Renew(name, token, Optional.of(options.lease()));
    }

    void leaveGate(Locks locks) {
        if (gated) {
            locks.gates().leave(name);
        }
    }
}
