package dev.tenon.server.grpc;

import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.server.access.Caller;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets a caller renew and give back the worker IDs that its own key has claimed: claims are counted, so that everybody
 * can guess them, and who gives one back that another uses has IDs made twice. A claim carries the key in its owner, so
 * that every server can tell; what was claimed here is known, for the rest the census is asked. Thread-safe; blocks.
 */
final class OwnSlots {
    private static final int ENTRIES_MAX = 10_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<Claimed, Terms> claims = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Claimed, Terms> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record Claimed(String group, int workerId, long claim) {
        static Claimed of(String group, WorkerSlot slot) {
            return new Claimed(group, slot.workerId(), slot.claim());
        }
    }

    /**
     * What is known of a claim.
     *
     * @param owner with the key in it
     * @param least to which the fence may go back
     */
    private record Terms(String owner, Instant least) {}

    /** Claims a slot in the name of the caller's key. */
    WorkerSlot claim(WorkerIdSource source, String group, WorkerClaim asked, Caller who) {
        if (asked.kept().isPresent() && !mayKeep(source, group, asked.kept().get(), who)) {
            throw new WorkerIdTakenException("Worker ID " + asked.kept().get().workerId() + " of group \"" + group
                    + "\" is held with another API key");
        }
        String owner = who.own(asked.owner());
        WorkerSlot slot = source.claim(new WorkerClaim(
                who.own(asked.requestId()),
                owner,
                asked.layout(),
                asked.capacity(),
                asked.lease(),
                asked.now(),
                asked.reserve(),
                asked.wanted(),
                asked.kept(),
                asked.newStore()));
        guard.lock();
        try {
            claims.put(Claimed.of(group, slot), new Terms(owner, slot.floor()));
        } finally {
            guard.unlock();
        }
        return slot;
    }

    /** Whether a slot that the caller says to hold may be so: it is in no other key's hands, as far as is known. */
    private boolean mayKeep(WorkerIdSource source, String group, WorkerClaim.Kept kept, Caller who) {
        return who.keyId().isEmpty()
                || source.census().stream()
                        .filter(view -> view.workerId() == kept.workerId()
                                && !view.leaseLeft().isZero())
                        .allMatch(view -> who.owns(view.owner()));
    }

    /** Whether a slot is the caller's to renew. */
    boolean mayRenew(WorkerIdSource source, String group, WorkerSlot slot, Caller who) {
        return terms(source, group, slot, who).isPresent();
    }

    /** Gives a slot back, unless it is another key's. Where the claim is not known, the fence stays where it is. */
    void release(WorkerIdSource source, String group, WorkerSlot slot, Instant lastUsed, Caller who) {
        if (who.keyId().isEmpty()) {
            source.release(slot, lastUsed);
            return;
        }
        terms(source, group, slot, who).ifPresent(terms -> {
            source.release(slot, lastUsed.isBefore(terms.least()) ? terms.least() : lastUsed);
            guard.lock();
            try {
                claims.remove(Claimed.of(group, slot));
            } finally {
                guard.unlock();
            }
        });
    }

    /** What is known of the caller's own claim; empty: it is not the caller's. */
    private Optional<Terms> terms(WorkerIdSource source, String group, WorkerSlot slot, Caller who) {
        return known(group, slot)
                .or(() -> who.keyId().isEmpty()
                        ? Optional.of(new Terms("", Instant.MIN)) // nobody is told apart
                        : source.census().stream()
                                .filter(view -> view.workerId() == slot.workerId())
                                .map(OwnSlots::terms)
                                .findFirst())
                .filter(terms -> who.owns(terms.owner()));
    }

    private static Terms terms(WorkerSlotView view) {
        return new Terms(view.owner(), view.fence());
    }

    private Optional<Terms> known(String group, WorkerSlot slot) {
        guard.lock();
        try {
            return Optional.ofNullable(claims.get(Claimed.of(group, slot)));
        } finally {
            guard.unlock();
        }
    }
}
