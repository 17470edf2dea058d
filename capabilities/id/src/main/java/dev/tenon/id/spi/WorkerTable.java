package dev.tenon.id.spi;

import dev.tenon.Names;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
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
 * precision. A call that throws changes nothing. Not thread-safe.
 */
public final class WorkerTable {
    private static final long GROUP_BYTES = 300;
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
        private boolean leased(Instant now) {
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
     * A group.
     *
     * @param entries its slots, in ascending order of worker IDs
     */
    public record Group(String name, String layout, int capacity, List<Entry> entries) {
        public Group {
            entries = List.copyOf(entries);
        }
    }

    private record GroupState(String layout, int capacity, TreeMap<Integer, Entry> entries) {}

    /** An empty table. */
    public WorkerTable() {}

    /** A table with the state that another one exported. */
    public static WorkerTable of(List<Group> exported) {
        WorkerTable table = new WorkerTable();
        for (Group group : exported) {
            GroupState state = new GroupState(group.layout(), group.capacity(), new TreeMap<>());
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
                List.copyOf(group.entries().values()))));
        return List.copyOf(exported);
    }

    /** How much memory all of it takes, roughly, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Whether {@link #claim} would take a slot that was never claimed. */
    public boolean isNew(String group, WorkerClaim claim, Instant now) {
        GroupState state = groups.get(group);
        if (state == null) {
            return true;
        }
        if (repeated(state, claim, now).isPresent()) {
            return false;
        }
        Optional<Integer> slot =
                claim.wanted().isPresent() ? Optional.of(claim.wanted().getAsInt()) : choose(state, claim.now(), now);
        return slot.filter(id -> !state.entries().containsKey(id)).isPresent();
    }

    /** As {@link WorkerIdSource#claim}, at the store's time {@code now}. */
    public WorkerSlot claim(String group, WorkerClaim claim, Instant now) {
        Names.requireValid("worker group", group);
        GroupState state = groups.get(group);
        if (state == null) {
            state = new GroupState(claim.layout(), claim.capacity(), new TreeMap<>());
        } else {
            requireSame(group, state, claim);
        }
        Instant leaseEnd = roundUp(now.plus(claim.lease()));
        Entry entry = repeated(state, claim, now)
                .map(before -> before.until(later(before.leaseEnd(), leaseEnd), before.fence()))
                .orElse(null);
        if (entry == null) {
            entry = fresh(group, state, claim, now);
        }
        put(state, entry);
        put(group, state);
        return entry.slot();
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
        if (state == null) {
            return List.of();
        }
        return views(state, now);
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

    private static Entry fresh(String group, GroupState state, WorkerClaim claim, Instant now) {
        int workerId = claim.wanted().isPresent() ? wanted(group, state, claim, now) : any(group, state, claim, now);
        Entry before = state.entries().get(workerId);
        Instant floor = before == null ? Instant.EPOCH : before.fence();
        return new Entry(
                workerId,
                before == null ? 1 : before.claim() + 1,
                claim.requestId(),
                claim.owner(),
                now.truncatedTo(ChronoUnit.MILLIS),
                roundUp(now.plus(claim.lease())),
                floor,
                roundUp(later(floor, claim.now()).plus(claim.reserve())));
    }

    /** The lowest free slot whose fence is before the claimant's time; without one, that with the least fence. */
    private static Optional<Integer> choose(GroupState state, Instant claimantNow, Instant now) {
        int unused = 0;
        Entry least = null;
        for (Entry entry : state.entries().values()) {
            if (entry.workerId() > unused) {
                break;
            }
            unused++;
            if (entry.leased(now)) {
                continue;
            }
            if (entry.fence().isBefore(claimantNow)) {
                return Optional.of(entry.workerId());
            }
            if (least == null || entry.fence().isBefore(least.fence())) {
                least = entry;
            }
        }
        if (unused < state.capacity()) {
            return Optional.of(unused); // never claimed: nothing was ever issued from it
        }
        return Optional.ofNullable(least).map(Entry::workerId);
    }

    private static int any(String group, GroupState state, WorkerClaim claim, Instant now) {
        return choose(state, claim.now(), now)
                .orElseThrow(() -> new WorkerIdsExhaustedException(group, state.capacity(), views(state, now)));
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
        GroupState state = groups.get(group);
        if (state != null) {
            put(state, entry);
        }
    }

    private @Nullable Entry put(GroupState state, Entry entry) {
        Entry before = state.entries().put(entry.workerId(), entry);
        bytes += footprint(entry) - (before == null ? 0 : footprint(before));
        return before;
    }

    private @Nullable GroupState put(String name, GroupState state) {
        GroupState before = groups.put(name, state);
        bytes += before == null
                ? GROUP_BYTES + 2L * (name.length() + state.layout().length())
                : 0;
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
