package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.id.spi.WorkerTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one group as nodes below the group's own. What a call does is decided by {@link WorkerTable}, at the time of
 * the ensemble, and written on the condition that nothing of what it was decided by has changed.
 *
 * <p>A claim looks at every slot that was ever claimed, and counts the version of the group's node up: of two claims at
 * once, one has to look again. A renewal or release looks at its own slot only, and so disturbs nobody.
 */
final class ZooKeeperWorkerIdSource implements WorkerIdSource {
    /** The most slots of a group that can ever be claimed: their names must fit into one answer of ZooKeeper (1 MB). */
    static final int SLOTS_MAX = 1 << 16;

    private static final int ATTEMPTS_MAX = 200;
    private static final int READS_AT_ONCE = 1_000;

    /** Claims of one process take turns, so that only processes are in each other's way. */
    private final ReentrantLock claims = new ReentrantLock();

    private final ZooKeeperLink link;
    private final String group;
    private final String path;

    private final int slotsMax;
    private final UnaryOperator<Instant> clock;

    ZooKeeperWorkerIdSource(ZooKeeperLink link, String group) {
        this(link, group, SLOTS_MAX, UnaryOperator.identity());
    }

    /** @param clock what to make of the leader's time: nothing, but in tests */
    ZooKeeperWorkerIdSource(ZooKeeperLink link, String group, int slotsMax, UnaryOperator<Instant> clock) {
        this.link = link;
        this.group = group;
        this.path = link.paths().group(group);
        this.slotsMax = slotsMax;
        this.clock = clock;
    }

    /**
     * The group at some time.
     *
     * @param known the group without its slots; null if there is none yet
     * @param versions of the slots' nodes
     */
    private record Seen(
            Instant now,
            WorkerTable.@Nullable Group known,
            int version,
            List<WorkerTable.Entry> entries,
            Map<Integer, Integer> versions) {
        WorkerTable table() {
            return known == null
                    ? new WorkerTable()
                    : WorkerTable.of(
                            List.of(new WorkerTable.Group(known.name(), known.layout(), known.capacity(), entries)));
        }
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        ZooKeeperCall call = link.begin();
        if (!call.tryLock(claims)) {
            throw overtaken();
        }
        try {
            for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
                Seen seen = look(call);
                WorkerTable table = seen.table();
                WorkerSlot slot = table.claim(group, claim, seen.now());
                try {
                    call.awaitWrite(call.all(changes(call, seen, claim, entry(table, slot.workerId()))));
                    return slot;
                } catch (ZooKeeperConflict e) {
                    if (!call.pause(attempt)) {
                        break;
                    }
                }
            }
            throw overtaken();
        } finally {
            claims.unlock();
        }
    }

    private List<Op> changes(ZooKeeperCall call, Seen seen, WorkerClaim claim, WorkerTable.Entry entry) {
        List<Op> changes = new ArrayList<>(2);
        byte[] definition = ZooKeeperText.of(claim.layout(), claim.capacity());
        changes.add(
                seen.known() == null ? call.creation(path, definition) : Op.setData(path, definition, seen.version()));
        Integer version = seen.versions().get(entry.workerId());
        if (version == null && seen.versions().size() >= slotsMax) {
            throw new TenonException("Worker group \"" + group + "\" has " + slotsMax
                    + " slots in ZooKeeper, which is the most: use fewer processes, or several groups");
        }
        String slot = slotPath(entry.workerId());
        byte[] data = ZooKeeperText.of(entry);
        changes.add(version == null ? call.creation(slot, data) : Op.setData(slot, data, version));
        return changes;
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        WorkerClaim.requireLease(lease);
        Objects.requireNonNull(fence, "fence");
        return change(slot, held -> held.table().renew(group, slot, lease, fence, held.now()));
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Objects.requireNonNull(lastUsed, "lastUsed");
        change(slot, held -> {
            held.table().release(group, slot, lastUsed, held.now());
            return true;
        });
    }

    private record Held(WorkerTable table, Instant now) {}

    private boolean change(WorkerSlot slot, Function<Held, Boolean> step) {
        String slotPath = slotPath(slot.workerId());
        ZooKeeperCall call = link.begin();
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            CompletableFuture<Instant> now = call.now();
            CompletableFuture<Optional<ZooKeeperCall.Node>> node = call.read(slotPath);
            Instant at = clock.apply(call.awaitRead(now));
            ZooKeeperCall.Node before = call.awaitRead(node).orElse(null);
            if (before == null) {
                return false;
            }
            WorkerTable.Entry entry = ZooKeeperText.slot(slot.workerId(), slotPath, before.data());
            // The rules for one slot ask nothing of the group but its name.
            WorkerTable table = WorkerTable.of(List.of(new WorkerTable.Group(group, "", 1, List.of(entry))));
            boolean done = step.apply(new Held(table, at));
            WorkerTable.Entry after = entry(table, slot.workerId());
            if (after.equals(entry)) {
                return done;
            }
            try {
                call.awaitWrite(call.set(
                        slotPath, ZooKeeperText.of(after), before.stat().getVersion()));
                return done;
            } catch (ZooKeeperConflict e) {
                if (!call.pause(attempt)) {
                    break;
                }
            }
        }
        throw overtaken();
    }

    @Override
    public List<WorkerSlotView> census() {
        Seen seen = look(link.begin());
        return seen.table().census(group, seen.now());
    }

    private Seen look(ZooKeeperCall call) {
        // The first of them writes, and on one session the others see what was there when it was written.
        CompletableFuture<Instant> now = call.now();
        CompletableFuture<Optional<ZooKeeperCall.Node>> node = call.read(path);
        CompletableFuture<List<String>> children = call.children(path);
        Instant at = clock.apply(call.awaitRead(now));
        ZooKeeperCall.Node known = call.awaitRead(node).orElse(null);
        if (known == null) {
            return new Seen(at, null, 0, List.of(), Map.of());
        }
        List<WorkerTable.Entry> entries = new ArrayList<>();
        Map<Integer, Integer> versions = new HashMap<>();
        List<Integer> workerIds = workerIds(call.awaitRead(children));
        for (int from = 0; from < workerIds.size(); from += READS_AT_ONCE) {
            List<Integer> some = workerIds.subList(from, Math.min(workerIds.size(), from + READS_AT_ONCE));
            List<Optional<ZooKeeperCall.Node>> nodes = call.awaitReads(
                    some.stream().map(id -> call.read(slotPath(id))).toList());
            for (int i = 0; i < some.size(); i++) {
                int workerId = some.get(i);
                nodes.get(i).ifPresent(slot -> {
                    entries.add(ZooKeeperText.slot(workerId, slotPath(workerId), slot.data()));
                    versions.put(workerId, slot.stat().getVersion());
                });
            }
        }
        return new Seen(
                at, ZooKeeperText.group(group, path, known.data()), known.stat().getVersion(), entries, versions);
    }

    private List<Integer> workerIds(List<String> names) {
        try {
            return names.stream().map(Integer::valueOf).sorted().toList();
        } catch (NumberFormatException e) {
            throw ZooKeeperText.corrupt(path, e);
        }
    }

    private String slotPath(int workerId) {
        return path + "/" + workerId;
    }

    private static WorkerTable.Entry entry(WorkerTable table, int workerId) {
        return table.export().get(0).entries().stream()
                .filter(entry -> entry.workerId() == workerId)
                .findFirst()
                .orElseThrow();
    }

    private BackendUnavailableException overtaken() {
        return new BackendUnavailableException("Worker group \"" + group + "\" at ZooKeeper " + link.address()
                + " is wanted by so many at once that this call was always overtaken");
    }
}
