package dev.tenon.id.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The wish for a worker ID.
 *
 * @param requestId unique over all time; a claim repeated with it while its lease lasts gets the same slot, with the
 *     same floor and fence, and its lease anew
 * @param owner the claimant, for operators
 * @param layout the text form of the ID layout, the same for the whole group
 * @param capacity number of slots, 1 to {@value #CAPACITY_MAX}
 * @param lease how long the slot stays claimed without a renewal, by the store's clock; 1 ms to {@link #LEASE_MAX}
 * @param now the claimant's wall clock, against which fences are compared
 * @param reserve how far beyond {@code now} (or beyond the slot's old fence, if that is later) the fence is set; more
 *     than zero, at most {@link #LEASE_MAX}
 * @param wanted the only slot that will do, less than {@code capacity}; empty if any will
 * @param kept what the claimant holds already, and tells a store that may have forgotten it; empty with all other
 *     claims
 * @param newStore whether a group that is not there is new, as the claimant knows, and was not forgotten
 */
public record WorkerClaim(
        String requestId,
        String owner,
        String layout,
        int capacity,
        Duration lease,
        Instant now,
        Duration reserve,
        OptionalInt wanted,
        Optional<Kept> kept,
        boolean newStore) {
    /** The most slots in a group. */
    public static final int CAPACITY_MAX = 1 << 22;

    /** The longest lease, and the longest reserve. */
    public static final Duration LEASE_MAX = Duration.ofDays(365);

    private static final Duration LEASE_MIN = Duration.ofMillis(1);

    /**
     * A claim that its holder still has.
     *
     * @param workerId the slot
     * @param claim its number, 0 to {@link #NUMBER_MAX}
     */
    public record Kept(int workerId, long claim) {
        /**
         * No store gives a greater one before the year 2112, as they go by clocks in microseconds at most. Later claims
         * have to be greater than what is kept, and some stores count in numbers that a double holds.
         */
        public static final long NUMBER_MAX = 1L << 52;

        public Kept {
            if (claim < 0 || claim > NUMBER_MAX) {
                throw new IllegalArgumentException(
                        "The number of a claim must be between 0 and " + NUMBER_MAX + ": " + claim);
            }
        }
    }

    public WorkerClaim {
        Names.requireValid("request ID", requestId);
        Names.requireValid("worker owner", owner);
        Names.requireValid("layout", layout);
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("Capacity must be between 1 and " + CAPACITY_MAX + ": " + capacity);
        }
        Objects.requireNonNull(now, "now");
        requireLease(lease);
        if (reserve.isZero() || reserve.isNegative() || reserve.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException("Reserve must be more than zero and at most 365 days: " + reserve);
        }
        if (wanted.isPresent() && (wanted.getAsInt() < 0 || wanted.getAsInt() >= capacity)) {
            throw new IllegalArgumentException("The wanted worker ID must be between 0 and " + (capacity - 1)
                    + ", as the layout has " + capacity + " of them: " + wanted.getAsInt());
        }
        kept.ifPresent(held -> {
            if (held.workerId() < 0 || held.workerId() >= capacity) {
                throw new IllegalArgumentException(
                        "The worker ID that is kept must be between 0 and " + (capacity - 1) + ": " + held.workerId());
            }
        });
    }

    /** The wish for any slot. */
    public WorkerClaim(
            String requestId,
            String owner,
            String layout,
            int capacity,
            Duration lease,
            Instant now,
            Duration reserve) {
        this(requestId, owner, layout, capacity, lease, now, reserve, OptionalInt.empty(), Optional.empty(), false);
    }

    /** The same wish for one slot only. */
    public WorkerClaim wanting(int workerId) {
        return new WorkerClaim(
                requestId, owner, layout, capacity, lease, now, reserve, OptionalInt.of(workerId), kept, newStore);
    }

    /** The same wish of a claimant that holds this slot, and will have no other. */
    public WorkerClaim keeping(int workerId, long claim) {
        Kept held = new Kept(workerId, claim);
        return new WorkerClaim(
                requestId, owner, layout, capacity, lease, now, reserve, wanted, Optional.of(held), newStore);
    }

    /** The same wish of a claimant that knows that a group that is not there is new. */
    public WorkerClaim inNewStore() {
        return new WorkerClaim(requestId, owner, layout, capacity, lease, now, reserve, wanted, kept, true);
    }

    /** Returns {@code lease} if a slot can be leased for so long. */
    public static Duration requireLease(Duration lease) {
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException("Lease must be between 1 ms and 365 days: " + lease);
        }
        return lease;
    }
}
