package dev.tenon.lock;

import dev.tenon.lock.spi.Acquire;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a lock is held. Immutable; {@link #DEFAULT} with changes by the {@code with…} methods.
 *
 * @param lease how long the lock stays held if nothing more is heard of its holder
 * @param renewed whether the lease is renewed in the background, at a third of its length, for as long as it is held
 * @param maximumHold when renewal stops, counted from the acquisition, so that a hung owner does not hold for ever;
 *     empty: never
 * @param fair whether the lock is taken in the order of arrival; if not, whoever finds it free takes it before those
 *     who wait
 * @param lockDelay how long nobody else gets the lock if this holder's lease runs out, rather than being given back:
 *     time for what it had under way to arrive and fail (Burrows, "The Chubby lock service", OSDI 2006); zero: none
 * @param handedOver whether threads of one process that wait for the lock hand it on among themselves, without a round
 *     trip and each with a greater token, at most 31 times and for 100 ms in a row; only while it is renewed
 */
public record LockOptions(
        Duration lease,
        boolean renewed,
        Optional<Duration> maximumHold,
        boolean fair,
        Duration lockDelay,
        boolean handedOver) {
    /** The shortest lease: shorter ones are lost to ordinary pauses of a JVM. */
    public static final Duration LEASE_MIN = Duration.ofMillis(100);

    /** A lease of 30 seconds, renewed for as long as it is held, and handed on among the threads of a process. */
    public static final LockOptions DEFAULT =
            new LockOptions(Duration.ofSeconds(30), true, Optional.empty(), true, Duration.ZERO, true);

    public LockOptions {
        Objects.requireNonNull(lease, "lease");
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(Acquire.LEASE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "Lease must be between " + LEASE_MIN + " and " + Acquire.LEASE_MAX + ": " + lease);
        }
        Objects.requireNonNull(maximumHold, "maximumHold").ifPresent(hold -> {
            if (hold.compareTo(lease) < 0) {
                throw new IllegalArgumentException("Maximum hold (" + hold + ") is shorter than the lease: " + lease);
            }
        });
        Acquire.Terms.EXCLUSIVE.withLockDelay(lockDelay); // refuses what is out of bounds
    }

    /** The same, with another lease. */
    public LockOptions withLease(Duration lease) {
        return new LockOptions(lease, renewed, maximumHold, fair, lockDelay, handedOver);
    }

    /** The same, without renewal: the lock is lost when its lease is over. */
    public LockOptions withoutRenewal() {
        return new LockOptions(lease, false, maximumHold, fair, lockDelay, handedOver);
    }

    /** The same, with a limit to renewal. */
    public LockOptions withMaximumHold(Duration maximumHold) {
        return new LockOptions(lease, renewed, Optional.of(maximumHold), fair, lockDelay, handedOver);
    }

    /** The same, without an order: whoever finds the lock free takes it. */
    public LockOptions unfair() {
        return new LockOptions(lease, renewed, maximumHold, false, lockDelay, handedOver);
    }

    /** The same, with a lock-delay, at most {@link Acquire#LOCK_DELAY_MAX}. */
    public LockOptions withLockDelay(Duration lockDelay) {
        return new LockOptions(lease, renewed, maximumHold, fair, lockDelay, handedOver);
    }

    /**
     * The same, but a thread that is done gives the lock back to the store each time, where the next thread of this
     * process has to ask for it: a process that waits in the store's queue is then next after every single hold, at the
     * price of two round trips a thread.
     */
    public LockOptions withoutLocalHandOver() {
        return new LockOptions(lease, renewed, maximumHold, fair, lockDelay, false);
    }
}
