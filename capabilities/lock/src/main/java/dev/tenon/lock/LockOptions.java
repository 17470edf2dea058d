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
 */
public record LockOptions(Duration lease, boolean renewed, Optional<Duration> maximumHold) {
    /** The shortest lease: shorter ones are lost to ordinary pauses of a JVM. */
    public static final Duration LEASE_MIN = Duration.ofMillis(100);

    /** A lease of 30 seconds, renewed for as long as it is held. */
    public static final LockOptions DEFAULT = new LockOptions(Duration.ofSeconds(30), true, Optional.empty());

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
    }

    /** The same, with another lease. */
    public LockOptions withLease(Duration lease) {
        return new LockOptions(lease, renewed, maximumHold);
    }

    /** The same, without renewal: the lock is lost when its lease is over. */
    public LockOptions withoutRenewal() {
        return new LockOptions(lease, false, maximumHold);
    }

    /** The same, with a limit to renewal. */
    public LockOptions withMaximumHold(Duration maximumHold) {
        return new LockOptions(lease, renewed, Optional.of(maximumHold));
    }
}
