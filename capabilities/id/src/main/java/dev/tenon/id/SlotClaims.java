package dev.tenon.id;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one {@link LeasedWorkerId}. One whose answer was lost is repeated under its request ID, so that it
 * takes no second slot. For one thread at a time.
 */
final class SlotClaims {
    private static final System.Logger LOG = System.getLogger(WorkerId.class.getName());

    private final WorkerIdSource source;
    private final TimeSource time;
    private final Duration settlingMax;
    private final Consumer<WorkerIdsForgottenException> whenForgotten;
    private final IdLayout layout;
    private final String owner;
    private final Duration leaseTime;
    private final Duration reserve;
    private final OptionalInt wanted;
    private boolean newStore; // until the first slot: the store is not new for a process that has had one
    private @Nullable String claimUnanswered;
    private @Nullable String keepUnanswered;
    private volatile @Nullable WorkerIdsForgottenException untold;

    SlotClaims(WorkerId.Builder builder, Duration reserve) {
        this.source = builder.source;
        this.time = builder.time;
        this.settlingMax = builder.settlingMax;
        this.whenForgotten = builder.whenForgotten;
        this.layout = builder.layout;
        this.owner = builder.owner;
        this.leaseTime = builder.leaseTime;
        this.reserve = reserve;
        this.wanted = builder.wanted;
        this.newStore = builder.newStore;
    }

    /** Claims a slot; throws as {@link WorkerIdSource#claim} does. What was to be kept no longer is. */
    WorkerSlot claim(Instant now) {
        keepUnanswered = null;
        String request = claimUnanswered == null ? fresh() : claimUnanswered;
        claimUnanswered = request;
        try {
            WorkerSlot slot = source.claim(wish(request, now, wanted));
            claimUnanswered = null;
            newStore = false;
            return slot;
        } catch (WorkerIdsExhaustedException
                | WorkerIdTakenException
                | WorkerIdsForgottenException
                | DefinitionConflictException e) {
            claimUnanswered = null;
            throw e;
        }
    }

    /**
     * Tells the store of a slot that is held; empty: the claim is over. Throws as {@link WorkerIdSource#claim} does.
     */
    Optional<WorkerSlot> keep(WorkerSlot slot, Instant now) {
        String request = keepUnanswered == null ? fresh() : keepUnanswered;
        keepUnanswered = request;
        WorkerClaim wish = wish(request, now, OptionalInt.empty()).keeping(slot.workerId(), slot.claim());
        try {
            WorkerSlot kept = source.claim(wish);
            keepUnanswered = null;
            return Optional.of(kept);
        } catch (WorkerIdTakenException e) {
            keepUnanswered = null;
            return Optional.empty();
        }
    }

    /**
     * The first claim: waits for a store that may have forgotten its leases, for no longer than the builder said.
     *
     * @throws WorkerIdsForgottenException if that takes longer, or the thread is interrupted
     */
    HeldSlot whenSettled(Supplier<HeldSlot> claim) {
        long began = time.nanoTime();
        for (boolean told = false; ; told = true) {
            try {
                return claim.get();
            } catch (WorkerIdsForgottenException e) {
                Duration waited = Duration.ofNanos(time.nanoTime() - began);
                if (waited.plus(e.retryAfter()).compareTo(settlingMax) > 0
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                if (!told) {
                    LOG.log(Level.INFO, "Waiting for a worker ID. {0}", e.getMessage());
                }
                time.park(e.retryAfter().plusMillis(1));
            }
        }
    }

    /** Notes that the store had forgotten a slot, and has been told of it again: see {@link #tellForgotten}. */
    void forgotten(int workerId) {
        untold = new WorkerIdsForgottenException(
                "The store had forgotten that worker ID " + workerId + " is held by " + owner
                        + ": it was emptied, restored"
                        + " from an older copy, or failed over. It knows again, and no ID was repeated; look at what else it"
                        + " has lost, and at how it keeps what it has answered",
                Duration.ZERO);
    }

    /** Tells what was noted, if anything was. The listener may close the worker ID, which must not be kept waiting. */
    void tellForgotten() {
        WorkerIdsForgottenException forgotten = untold;
        untold = null;
        if (forgotten == null) {
            return;
        }
        LOG.log(Level.WARNING, forgotten.getMessage());
        try {
            whenForgotten.accept(forgotten);
        } catch (RuntimeException | Error e) { // thrown from here, it would end the renewals
            LOG.log(Level.WARNING, "The listener of the worker ID of " + owner + " failed", e);
        }
    }

    private static String fresh() {
        return UUID.randomUUID().toString();
    }

    private WorkerClaim wish(String request, Instant now, OptionalInt only) {
        return new WorkerClaim(
                request,
                owner,
                layout.text(),
                layout.workers(),
                leaseTime,
                now,
                reserve,
                only,
                Optional.empty(),
                newStore);
    }
}
