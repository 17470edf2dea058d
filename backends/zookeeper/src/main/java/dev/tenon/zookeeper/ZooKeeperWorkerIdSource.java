package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
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
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one group as nodes below the group's own. What a call does is decided by {@link WorkerTable}, at the
 * time of the ensemble, and written on the condition that nothing of what it was decided by has changed.
 *
 * <p>A claim looks at every slot that was ever claimed, and counts the version of the group's node up: of two claims at
 * once, one has to look again. A renewal or release writes its own slot only, and so disturbs nobody.
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
     * @param incarnation of the store at that time
     * @param versions of the slots' nodes
     */
    private record Seen(
            Instant now,
            WorkerTable.@Nullable Group known,
            int version,
            String incarnation,
            List<WorkerTable.Entry> entries,
            Map<Integer, Integer> versions) {
        WorkerTable table() {
            return known == null
                    ? new WorkerTable()
                    : WorkerTable.of(List.of(new WorkerTable.Group(
                            known.name(), known.layout(), known.capacity(), known.settling(), entries)));
        }

        boolean inAnotherIncarnation() {
            return known != null && !known.settling().incarnation().equals(incarnation);
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
                Seen seen = link.runs()
                        .see(call, run -> look(call, run), Seen::inAnotherIncarnation)
                        .orElseThrow(this::overtaken);
                WorkerTable table = seen.table();
                WorkerTable.Claimed claimed = table.claim(group, claim, seen.incarnation(), seen.now());
                List<Op> changes = changes(
                        call, seen, table.export().get(0), claimed, claim.kept().isPresent());
                try {
                    if (!changes.isEmpty()) {
                        call.awaitWrite(call.all(changes));
                    }
                    return claimed.orThrow(group);
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

    private List<Op> changes(
            ZooKeeperCall call, Seen seen, WorkerTable.Group after, WorkerTable.Claimed claimed, boolean keeps) {
        List<Op> changes = new ArrayList<>(2);
        boolean same = seen.known() != null && seen.known().settling().equals(after.settling());
        if (claimed.slot().isEmpty() && same) {
            return changes;
        }
        byte[] text = ZooKeeperText.of(after);
        if (seen.known() == null) {
            changes.add(call.creation(path, text));
        } else if (same && keeps) {
            // Of many that keep what they have at once, as after a restart, none is in another's way.
            changes.add(Op.check(path, seen.version()));
        } else {
            changes.add(Op.setData(path, text, seen.version()));
        }
        claimed.slot().ifPresent(slot -> changes.add(change(call, seen, entry(after, slot.workerId()))));
        return changes;
    }

    private Op change(ZooKeeperCall call, Seen seen, WorkerTable.Entry entry) {
        Integer version = seen.versions().get(entry.workerId());
        if (version == null && seen.versions().size() >= slotsMax) {
            throw new TenonException("Worker group \"" + group + "\" has " + slotsMax
                    + " slots in ZooKeeper, which is the most: use fewer processes, or several groups");
        }
        String slot = slotPath(entry.workerId());
        byte[] data = ZooKeeperText.of(entry);
        return version == null ? call.creation(slot, data) : Op.setData(slot, data, version);
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        WorkerClaim.requireLease(lease);
        Objects.requireNonNull(fence, "fence");
        ZooKeeperCall call = link.begin();
        return change(
                call,
                slot.workerId(),
                () -> heldInThisIncarnation(call, slot.workerId()),
                held -> held.table().renew(group, slot, lease, fence, held.now()));
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Objects.requireNonNull(lastUsed, "lastUsed");
        ZooKeeperCall call = link.begin();
        change(call, slot.workerId(), () -> held(call, slot.workerId()), held -> {
            held.table().release(group, slot, lastUsed, held.now());
            return true;
        });
    }

    private record Held(WorkerTable table, WorkerTable.Entry entry, int version, Instant now) {}

    private boolean change(
            ZooKeeperCall call, int workerId, Supplier<Optional<Held>> look, Function<Held, Boolean> step) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Held held = look.get().orElse(null);
            if (held == null) {
                return false;
            }
            boolean done = step.apply(held);
            WorkerTable.Entry after = entry(held.table().export().get(0), workerId);
            if (after.equals(held.entry())) {
                return done;
            }
            try {
                call.awaitWrite(call.set(slotPath(workerId), ZooKeeperText.of(after), held.version()));
                return done;
            } catch (ZooKeeperConflict e) {
                if (!call.pause(attempt)) {
                    break;
                }
            }
        }
        throw overtaken();
    }

    private Optional<Held> held(ZooKeeperCall call, int workerId) {
        CompletableFuture<Optional<Stat>> tick = call.tick();
        CompletableFuture<Optional<ZooKeeperCall.Node>> slot = call.read(slotPath(workerId));
        return held(workerId, call.awaitRead(tick), call.awaitRead(slot));
    }

    private Optional<Held> held(int workerId, Optional<Stat> tick, Optional<ZooKeeperCall.Node> slot) {
        if (tick.isEmpty() || slot.isEmpty()) {
            return Optional.empty();
        }
        WorkerTable.Entry entry =
                ZooKeeperText.slot(workerId, slotPath(workerId), slot.get().data());
        // The rules for one slot ask nothing of the group but its name.
        WorkerTable table =
                WorkerTable.of(List.of(new WorkerTable.Group(group, "", 1, WorkerTable.Settling.NONE, List.of(entry))));
        return Optional.of(new Held(table, entry, slot.get().stat().getVersion(), time(tick.get())));
    }

    /** A slot, and whether the group knows the store as it is now. */
    private record HeldInStore(Optional<Held> held, boolean known) {}

    /**
     * Empty where the store may have forgotten: who holds something then says so by a claim, which finds what all
     * others find.
     */
    private Optional<Held> heldInThisIncarnation(ZooKeeperCall call, int workerId) {
        HeldInStore seen = link.runs()
                .see(call, run -> lookAtOne(call, run, workerId), found -> !found.known())
                .orElseThrow(this::overtaken);
        return seen.known() ? seen.held() : Optional.empty();
    }

    private HeldInStore lookAtOne(ZooKeeperCall call, ZooKeeperRun run, int workerId) {
        CompletableFuture<Optional<Stat>> ticking = call.tick();
        CompletableFuture<Optional<ZooKeeperCall.Node>> slot = call.read(slotPath(workerId));
        CompletableFuture<Optional<ZooKeeperCall.Node>> groupNode = call.read(path);
        Optional<Stat> tick = call.awaitRead(ticking);
        Optional<Held> held = held(workerId, tick, call.awaitRead(slot));
        if (tick.isEmpty()) {
            link.makeWorkers();
            return new HeldInStore(Optional.empty(), false);
        }
        boolean known = call.awaitRead(groupNode)
                .filter(node -> {
                    String noted = ZooKeeperText.group(group, path, node.data())
                            .settling()
                            .incarnation();
                    return ZooKeeperIncarnation.of(run, tick.get(), node.stat())
                            .text(noted)
                            .equals(noted);
                })
                .isPresent();
        return new HeldInStore(held, known);
    }

    @Override
    public List<WorkerSlotView> census() {
        ZooKeeperCall call = link.begin();
        Seen seen = look(call, ZooKeeperRun.ANY);
        return seen.table().census(group, seen.now());
    }

    private Seen look(ZooKeeperCall call, ZooKeeperRun run) {
        // The first of them writes, and on one session the others see what was there when it was written.
        CompletableFuture<Optional<Stat>> tick = call.tick();
        CompletableFuture<Optional<ZooKeeperCall.Node>> node = call.read(path);
        CompletableFuture<List<String>> children = call.children(path);
        Stat change = call.awaitRead(tick).orElseThrow(this::groupsLost);
        ZooKeeperCall.Node known = call.awaitRead(node).orElse(null);
        if (known == null) {
            String incarnation = ZooKeeperIncarnation.of(run, change, null).text("");
            return new Seen(time(change), null, 0, incarnation, List.of(), Map.of());
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
        WorkerTable.Group text = ZooKeeperText.group(group, path, known.data());
        String incarnation = ZooKeeperIncarnation.of(run, change, known.stat())
                .text(text.settling().incarnation());
        return new Seen(time(change), text, known.stat().getVersion(), incarnation, entries, versions);
    }

    private Instant time(Stat change) {
        return clock.apply(Instant.ofEpochMilli(change.getMtime()));
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

    private static WorkerTable.Entry entry(WorkerTable.Group after, int workerId) {
        return after.entries().stream()
                .filter(entry -> entry.workerId() == workerId)
                .findFirst()
                .orElseThrow();
    }

    private TenonException groupsLost() {
        String node = link.paths().workers();
        return ZooKeeperErrors.dataLost(node, KeeperException.create(KeeperException.Code.NONODE, node));
    }

    private BackendUnavailableException overtaken() {
        return new BackendUnavailableException("Worker group \"" + group + "\" at ZooKeeper " + link.address()
                + " is wanted by so many at once that this call was always overtaken");
    }
}
