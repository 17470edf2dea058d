package dev.tenon.id.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The worker IDs of one group, as leased slots {@code 0 … capacity − 1} of a store. This is the store's part only:
 * {@code dev.tenon.id.WorkerId} holds a slot, renews it and fences the generator.
 *
 * <p>Every implementation promises, and {@code WorkerIdSourceContract} checks:
 *
 * <ul>
 *   <li>The store's clock decides when a lease is over; only durations of it cross the wire.
 *   <li>At each moment a slot has at most one claim that can be renewed. Claims of a slot have strictly increasing
 *       {@link WorkerSlot#claim()} numbers, and an old claim can neither be renewed nor released.
 *   <li>The <em>time fence</em> of a slot (the timestamp up to which its holders may have issued) is stored before the
 *       holder may rely on it, and never goes back, through release, expiry and restart.
 *   <li>A claim gets a free slot whose fence is before the claimant's own time, if there is one, so that it need not
 *       wait; else the free slot with the least fence.
 *   <li>A claim with a {@linkplain WorkerClaim#wanted wanted} slot gets that one, if it is free, whatever its fence; no
 *       other.
 *   <li>The layout is stored with the group by its first claim; a claim with another layout is refused.
 *   <li>The store knows when it <em>may have forgotten</em>: the group is not there, or was written in another
 *       <em>incarnation</em> of the store, which is another one after each restart, restore or failover in which what
 *       was answered can get lost. From the first call that finds that, no claim is granted for as long as the longest
 *       lease that the group has seen, or the claimant's own; but a claim that says what it {@linkplain
 *       WorkerClaim#kept keeps} is, unless a later claim of that slot is known. In a store that can't forget while its
 *       users live (in memory), none of that.
 * </ul>
 *
 * <p>Calls block, and fail as those of {@link RangeStore} do. Implementations are thread-safe.
 */
public interface WorkerIdSource {
    /**
     * Claims a slot.
     *
     * @throws dev.tenon.id.WorkerIdsExhaustedException if every slot is leased; it names the holders
     * @throws dev.tenon.id.WorkerIdTakenException if the wanted slot is leased; it names the holder; or the slot to be
     *     kept is another's, or was given up
     * @throws dev.tenon.id.WorkerIdsForgottenException if the store may have forgotten its leases; it says for how long
     *     no slot is given
     * @throws dev.tenon.id.DefinitionConflictException if the group exists with another layout or capacity
     */
    WorkerSlot claim(WorkerClaim claim);

    /**
     * Extends the lease of a slot to {@code lease} from now, and its fence to {@code fence} (a fence before the stored
     * one leaves that as it is). Can be repeated.
     *
     * @return false: the claim is over, and so is the right to issue, unless it can be {@linkplain WorkerClaim#kept
     *     kept}; or the store may have forgotten other claims, and wants to be told of this one in that way
     */
    boolean renew(WorkerSlot slot, Duration lease, Instant fence);

    /**
     * Ends a claim and lowers the fence to {@code lastUsed}, the greatest timestamp in fact used: the one case in
     * which a fence goes back, to a moment that the holder vouches for. Nothing happens if the claim is over.
     */
    void release(WorkerSlot slot, Instant lastUsed);

    /** Every slot that was ever claimed, by ID. */
    List<WorkerSlotView> census();
}
