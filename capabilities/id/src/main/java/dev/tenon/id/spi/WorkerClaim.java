package dev.tenon.id.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The wish for a worker ID.
 *
 * @param requestId unique over all time; a claim repeated with it while its lease lasts gets the same slot, with the
 *     same floor and fence, and its lease anew
 * @param owner who asks, for people who look
 * @param layout the text form of the ID layout, the same for the whole group
 * @param capacity number of slots, 1 to {@value #CAPACITY_MAX}
 * @param lease how long the slot stays claimed without a renewal, by the store's clock; 1 ms to {@link #LEASE_MAX}
 * @param now the claimant's wall clock, against which fences are compared
 * @param reserve how far beyond {@code now} (or beyond the slot's old fence, if that is later) the fence is set; more
 *     than zero, at most {@link #LEASE_MAX}
 * @param wanted the only slot that will do, less than {@code capacity}; empty if any will
 */
public record WorkerClaim(
        String requestId,
        String owner,
        String layout,
        int capacity,
        Duration lease,
        Instant now,
        Duration reserve,
        OptionalInt wanted) {
    /** The most slots in a group. */
    public static final int CAPACITY_MAX = 1 << 22;

    /** The longest lease, and the longest reserve. */
    public static final Duration LEASE_MAX = Duration.ofDays(365);

    private static final Duration LEASE_MIN = Duration.ofMillis(1);

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
        this(requestId, owner, layout, capacity, lease, now, reserve, OptionalInt.empty());
    }

    /** The same wish for one slot only. */
    public WorkerClaim wanting(int workerId) {
        return new WorkerClaim(requestId, owner, layout, capacity, lease, now, reserve, OptionalInt.of(workerId));
    }

    /** Returns {@code lease} if a slot can be leased for so long. */
    public static Duration requireLease(Duration lease) {
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException("Lease must be between 1 ms and 365 days: " + lease);
        }
        return lease;
    }
}
