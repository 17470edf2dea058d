package dev.tenon.id.machine;

import dev.tenon.Names;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The worker slots of every group of a store as a pure table: what a {@link WorkerIdSource} that keeps its state in
 * this JVM runs as it is. It is deterministic (the same calls in the same order give the same state and the same
 * answers), does no I/O, and is told the store's time, which must not go back. Every instant in it has millisecond
 * precision. A call that throws changes nothing, but a claim that is refused because the store may have forgotten:
 * see {@link #claim(String, WorkerClaim, String, Instant)}. Not thread-safe.
 */
public final class WorkerTable {
    private static final long GROUP_BYTES = 400;
    private static final long ENTRY_BYTES = 400;

    private final TreeMap<String, GroupState> groups = new TreeMap<>();
    private long bytes;

    /**
     * A slot that was claimed at least once.
     *
     * @param requestId of its latest claim
     * @param since when it was claimed
     * @param leaseEnd the slot is free from then on
     * @param floor what its latest claim was told: everything up to it may have been used before
     * @param fence up to where its timestamps may have been used
     */
    public record Entry(
            int workerId,
            long claim,
            String requestId,
            String owner,
            Instant since,
            Instant leaseEnd,
            Instant floor,
            Instant fence) {
        boolean leased(Instant now) {
            return leaseEnd.isAfter(now);
        }

        private WorkerSlot slot() {
            return new WorkerSlot(workerId, claim, floor, fence);
        }

        private WorkerSlotView view(Instant now) {
            Duration left = leased(now) ? Duration.between(now, leaseEnd) : Duration.ZERO;
            return new WorkerSlotView(workerId, owner, since, left, fence);
        }

        private Entry until(Instant newLeaseEnd, Instant newFence) {
            return new Entry(workerId, claim, requestId, owner, since, newLeaseEnd, floor, newFence);
        }
    }

    /**
     * What a group knows of its store.
     *
     * @param incarnation of the store, when it was last looked at; empty if never
     * @param settledAt from when on slots are given: each earlier holder has told of its own, or its lease is over
     * @param longestLease that was ever asked for
     */
    public record Settling(String incarnation, Instant settledAt, Duration longestLease) {
        /** Of a group that has not looked at its store. */
        public static final Settling NONE = new Settling("", Instant.EPOCH, Duration.ZERO);

        /** What a group has for an incarnation that knows claims of the store's own process alone. */
        private static final String OWN = "own";

        /** What the group knows after a claim at the store's time {@code now}. */
        Settling after(WorkerClaim claim, boolean known, ClaimTerms terms, Instant now) {
            if (terms.counted()) {
                return this; // as replicas that read it in an older snapshot have it
            }
            Duration longest = longestLease.compareTo(claim.lease()) < 0 ? claim.lease() : longestLease;
            if (terms.own()) {
                return new Settling(known ? incarnation : OWN, settledAt, longest);
            }
            String nowIn = terms.incarnation();
            boolean seen = known && !incarnation.equals(OWN);
            if (nowIn.isEmpty() || (seen ? nowIn.equals(incarnation) : claim.newStore())) {
                boolean outlasts = settledAt.isAfter(now) && claim.lease().compareTo(longestLease) > 0;
                return new Settling(
                        nowIn.isEmpty() ? incarnation : nowIn,
                        outlasts ? later(settledAt, roundUp(now.plus(claim.lease()))) : settledAt,
                        longest);
            }
            return new Settling(nowIn, roundUp(now.plus(longest)), longest);
        }

        private Duration left(ClaimTerms terms, Instant now) {
            boolean unseen = terms.own() && !terms.incarnation().equals(incarnation);
            return unseen && left(now).isZero() ? longestLease : left(now);
        }

        private Duration left(Instant now) {
            return settledAt.isAfter(now) ? Duration.between(now, settledAt) : Duration.ZERO;
        }
    }

    /**
     * A group.
     *
     * @param entries its slots, in ascending order of worker IDs
     */
    public record Group(String name, String layout, int capacity, Settling settling, List<Entry> entries) {
        public Group {
            entries = List.copyOf(entries);
        }
    }

    private record GroupState(String layout, int capacity, Settling settling, TreeMap<Integer, Entry> entries) {
        GroupState settling(Settling changed) {
            return new GroupState(layout, capacity, changed, entries);
        }
    }

    /** An empty table. */
    public WorkerTable() {}

    /** A table with the state that another one exported. */
    public static WorkerTable of(List<Group> exported) {
        WorkerTable table = new WorkerTable();
        for (Group group : exported) {
            GroupState state = new GroupState(group.layout(), group.capacity(), group.settling(), new TreeMap<>());
            for (Entry entry : group.entries()) {
                if (table.put(state, entry) != null) {
                    throw new IllegalArgumentException(
                            "Worker ID " + entry.workerId() + " of group " + group.name() + " is there twice");
                }
            }
            if (table.put(group.name(), state) != null) {
                throw new IllegalArgumentException("Group " + group.name() + " is there twice");
            }
        }
        return table;
    }

    /** The whole state, in ascending order of names. */
    public List<Group> export() {
        List<Group> exported = new ArrayList<>(groups.size());
        groups.forEach((name, group) -> exported.add(new Group(
                name,
                group.layout(),
                group.capacity(),
                group.settling(),
                List.copyOf(group.entries().values()))));
        return List.copyOf(exported);
    }

    /** How much memory all of it takes, roughly, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Whether {@link #claim} would take a slot that was never claimed. */
    public boolean isNew(String group, WorkerClaim claim, ClaimTerms asked, Instant now) {
        GroupState state = groups.get(group);
        if (state == null) {
            return true;
        }
        if (repeated(state, claim, now).isPresent()) {
            return false;
        }
        if (claim.kept().isPresent()) {
            return !state.entries().containsKey(claim.kept().get().workerId());
        }
        Optional<Integer> slot = claim.wanted().isPresent()
                ? Optional.of(claim.wanted().getAsInt())
                : free(state, claim, termsOf(claim, asked), now);
        return slot.filter(id -> !state.entries().containsKey(id)).isPresent();
    }

    /** As {@link WorkerIdSource#claim} of a store that can't forget while its users live, at its time {@code now}. */
    public WorkerSlot claim(String group, WorkerClaim claim, Instant now) {
        return claim(group, claim, "", now).orThrow(group);
    }

    /**
     * As {@link WorkerIdSource#claim}, at the store's time {@code now}. A refusal because the store may have forgotten
     * is no exception: what it changed, that the group has looked at its store, must be kept.
     *
     * @param incarnation of the store; empty: it can't forget
     */
    public Claimed claim(String group, WorkerClaim claim, String incarnation, Instant now) {
        return claim(group, claim, ClaimTerms.in(incarnation), now);
    }

    /** As {@link #claim(String, WorkerClaim, String, Instant)}, with all that there is to know of the store. */
    public Claimed claim(String group, WorkerClaim claim, ClaimTerms asked, Instant now) {
        ClaimTerms terms = termsOf(claim, asked);
        Names.requireValid("worker group", group);
        GroupState state = groups.get(group);
        boolean known = state != null;
        if (state == null) {
            state = new GroupState(claim.layout(), claim.capacity(), Settling.NONE, new TreeMap<>());
        } else {
            requireSame(group, state, claim);
        }
        state = state.settling(state.settling().after(claim, known, terms, now));
        Instant leaseEnd = roundUp(now.plus(claim.lease()));
        Optional<Entry> repeated = repeated(state, claim, now)
                .map(before -> before.until(later(before.leaseEnd(), leaseEnd), before.fence()));
        Duration left = state.settling().left(terms, now);
        if (repeated.isEmpty() && claim.kept().isEmpty() && !left.isZero() && !terms.own()) {
            put(group, state);
            return new Claimed(Optional.empty(), left);
        }
        Entry entry = repeated.isPresent() ? repeated.get() : fresh(group, state, claim, terms, now);
        put(state, entry);
        put(group, state);
        return new Claimed(Optional.of(entry.slot()), Duration.ZERO);
    }

    /**
     * What came of a claim.
     *
     * @param slot what it got; empty: the store may have forgotten its leases
     * @param left for how long it gives none
     */
    public record Claimed(Optional<WorkerSlot> slot, Duration left) {
        /**
         * The slot.
         *
         * @throws WorkerIdsForgottenException if there is none
         */
        public WorkerSlot orThrow(String group) {
            return slot.orElseThrow(() -> WorkerIdsForgottenException.ofGroup(group, left));
        }
    }

    /** As {@link WorkerIdSource#renew}, at the store's time {@code now}. */
    public boolean renew(String group, WorkerSlot slot, Duration lease, Instant fence, Instant now) {
        WorkerClaim.requireLease(lease);
        Entry entry = held(group, slot, now);
        if (entry == null) {
            return false;
        }
        put(group, entry.until(roundUp(now.plus(lease)), later(entry.fence(), roundUp(fence))));
        return true;
    }

    /** Whether a group was last looked at in this incarnation of its store; if not, nothing of it is renewed. */
    public boolean isSeenIn(String group, String incarnation) {
        GroupState state = groups.get(Names.requireValid("worker group", group));
        return incarnation.isEmpty()
                || (state != null && state.settling().incarnation().equals(incarnation));
    }

    /** As {@link WorkerIdSource#release}, at the store's time {@code now}. */
    public void release(String group, WorkerSlot slot, Instant lastUsed, Instant now) {
        Entry entry = held(group, slot, now);
        if (entry != null) {
            put(group, entry.until(now.truncatedTo(ChronoUnit.MILLIS), later(entry.floor(), roundUp(lastUsed))));
        }
    }

    /** As {@link WorkerIdSource#census}, at the store's time {@code now}. */
    public List<WorkerSlotView> census(String group, Instant now) {
        GroupState state = groups.get(Names.requireValid("worker group", group));
        return state == null ? List.of() : views(state, now);
    }

    private static void requireSame(String group, GroupState state, WorkerClaim claim) {
        if (!state.layout().equals(claim.layout()) || state.capacity() != claim.capacity()) {
            throw new DefinitionConflictException("Worker group \"" + group + "\" has the layout \"" + state.layout()
                    + "\" with " + state.capacity() + " worker IDs, not \"" + claim.layout() + "\" with "
                    + claim.capacity() + ": use the same layout in every process, or another group");
        }
    }

    private static Optional<Entry> repeated(GroupState state, WorkerClaim claim, Instant now) {
        return state.entries().values().stream()
                .filter(entry -> entry.leased(now) && entry.requestId().equals(claim.requestId()))
                .findFirst();
    }

    private static Entry fresh(String group, GroupState state, WorkerClaim claim, ClaimTerms terms, Instant now) {
        if (claim.kept().isPresent()) {
            return kept(group, state, claim, claim.kept().get(), now);
        }
        int workerId = claim.wanted().isPresent()
                ? wanted(group, state, claim, now)
                : free(state, claim, terms, now)
                        .orElseThrow(() -> new WorkerIdsExhaustedException(group, state.capacity(), views(state, now)));
        Entry before = state.entries().get(workerId);
        Instant floor = before == null ? Instant.EPOCH : before.fence();
        // By the clock, so that a store that forgot gives none that it has given before.
        long next = before == null ? 1 : before.claim() + 1;
        long number = terms.counted() ? next : Math.max(next, now.toEpochMilli());
        return entry(workerId, number, claim, floor, now);
    }

    /** The slot that the claimant says it has: as it is, or written again while the store may have forgotten it. */
    private static Entry kept(String group, GroupState state, WorkerClaim claim, WorkerClaim.Kept kept, Instant now) {
        Entry before = state.entries().get(kept.workerId());
        if (before != null && before.claim() == kept.claim() && before.leased(now)) {
            Instant fence = roundUp(claim.now().plus(claim.reserve()));
            return before.until(
                    later(before.leaseEnd(), roundUp(now.plus(claim.lease()))), later(before.fence(), fence));
        }
        boolean forgotten = !state.settling().left(now).isZero();
        if (!forgotten || (before != null && before.claim() > kept.claim())) {
            throw new WorkerIdTakenException("Worker ID " + kept.workerId() + " of group \"" + group
                    + "\" was given up or is another's: the claim " + kept.claim() + " is over");
        }
        Instant floor = later(before == null ? Instant.EPOCH : before.fence(), roundUp(claim.now()));
        return entry(kept.workerId(), Math.max(kept.claim() + 1, now.toEpochMilli()), claim, floor, now);
    }

    private static Entry entry(int workerId, long number, WorkerClaim claim, Instant floor, Instant now) {
        return new Entry(
                workerId,
                number,
                claim.requestId(),
                claim.owner(),
                now.truncatedTo(ChronoUnit.MILLIS),
                roundUp(now.plus(claim.lease())),
                floor,
                roundUp(later(floor, claim.now()).plus(claim.reserve())));
    }

    /** Of one worker ID there is no other end. */
    private static ClaimTerms termsOf(WorkerClaim claim, ClaimTerms asked) {
        return claim.capacity() == 1 ? new ClaimTerms(asked.incarnation(), false, asked.counted()) : asked;
    }

    /** The slot for a claim that takes any. */
    private static Optional<Integer> free(GroupState state, WorkerClaim claim, ClaimTerms terms, Instant now) {
        boolean fromTheTop = terms.own() && !state.settling().left(terms, now).isZero();
        Optional<Integer> top =
                fromTheTop ? FreeSlots.highest(state.entries(), state.capacity(), claim.now(), now) : Optional.empty();
        return top.or(() -> FreeSlots.lowest(state.entries(), state.capacity(), claim.now(), now));
    }

    private static int wanted(String group, GroupState state, WorkerClaim claim, Instant now) {
        int wanted = claim.wanted().orElseThrow();
        Entry entry = state.entries().get(wanted);
        if (entry != null && entry.leased(now)) {
            throw new WorkerIdTakenException(group, entry.view(now));
        }
        return wanted;
    }

    private static List<WorkerSlotView> views(GroupState state, Instant now) {
        return state.entries().values().stream().map(entry -> entry.view(now)).toList();
    }

    private @Nullable Entry held(String group, WorkerSlot slot, Instant now) {
        GroupState state = groups.get(Names.requireValid("worker group", group));
        Entry entry = state == null ? null : state.entries().get(slot.workerId());
        return entry != null && entry.claim() == slot.claim() && entry.leased(now) ? entry : null;
    }

    private void put(String group, Entry entry) {
        Optional.ofNullable(groups.get(group)).ifPresent(state -> put(state, entry));
    }

    private @Nullable Entry put(GroupState state, Entry entry) {
        Entry before = state.entries().put(entry.workerId(), entry);
        bytes += footprint(entry) - (before == null ? 0 : footprint(before));
        return before;
    }

    private @Nullable GroupState put(String name, GroupState state) {
        GroupState before = groups.put(name, state);
        long added = GROUP_BYTES + 2L * (name.length() + state.layout().length());
        bytes += before == null ? added : 0;
        return before;
    }

    private static long footprint(Entry entry) {
        return ENTRY_BYTES + 2L * (entry.requestId().length() + entry.owner().length());
    }

    private static Instant later(Instant a, Instant b) {
        return a.isBefore(b) ? b : a;
    }

    private static Instant roundUp(Instant instant) {
        Instant floor = instant.truncatedTo(ChronoUnit.MILLIS);
        return floor.equals(instant) ? floor : floor.plusMillis(1);
    }
}
