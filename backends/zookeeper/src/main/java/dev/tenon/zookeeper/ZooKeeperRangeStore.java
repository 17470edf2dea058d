package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Sequences as nodes, one a name. A change is computed by {@link RangeTable} from what this process last saw of the
 * node, and written on the condition that the node still has that version: one round trip as long as nobody else takes
 * from the name. Whoever was overtaken reads anew and tries again.
 *
 * <p>Calls of one name in one process queue up, so that only processes are in each other's way.
 */
final class ZooKeeperRangeStore implements RangeStore {
    /** The highest version that is written on; the next change makes the node anew, at version 0. */
    static final int VERSION_MAX = Integer.MAX_VALUE - 1;

    private static final int ATTEMPTS_MAX = 100;
    private static final int LANES_MAX = 10_000;

    /**
     * A version comes again when a node was deleted or made anew, but that takes longer than this, or a person: what
     * was seen longer ago is read again.
     */
    private static final long KNOWN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ConcurrentMap<String, Lane> lanes = new ConcurrentHashMap<>();
    private final ZooKeeperLink link;
    private final int versionMax;

    ZooKeeperRangeStore(ZooKeeperLink link, int versionMax) {
        this.link = link;
        this.versionMax = versionMax;
    }

    /** The calls of one name. Two lanes of one name would be slower, not wrong. */
    private static final class Lane {
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Seen seen;
        private long at;
    }

    /**
     * A node as it was at some time.
     *
     * @param entry null: there is no node
     */
    private record Seen(RangeTable.@Nullable Entry entry, int version) {}

    @Override
    public IdRange next(String name, long count) {
        IdRange.requireCount(count);
        return change(name, table -> table.next(name, count));
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        Objects.requireNonNull(definition, "definition");
        change(name, table -> {
            table.define(name, definition);
            return true;
        });
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        String path = link.paths().range(name);
        ZooKeeperCall call = link.begin();
        return Optional.ofNullable(read(call, name, path).entry()).map(RangeTable.Entry::definition);
    }

    @Override
    public long raiseTo(String name, long floor) {
        return change(name, table -> table.raiseTo(name, floor));
    }

    private <T> T change(String name, Function<RangeTable, T> step) {
        String path = link.paths().range(name);
        ZooKeeperCall call = link.begin();
        if (lanes.size() >= LANES_MAX) {
            lanes.clear();
        }
        Lane lane = lanes.computeIfAbsent(name, unused -> new Lane());
        if (!call.tryLock(lane.lock)) {
            throw new BackendUnavailableException("Other calls for sequence \"" + name + "\" took all the time");
        }
        try {
            return change(call, lane, new Change<>(name, path, step));
        } finally {
            lane.lock.unlock();
        }
    }

    private record Change<T>(String name, String path, Function<RangeTable, T> step) {}

    private <T> T change(ZooKeeperCall call, Lane lane, Change<T> change) {
        Seen seen = lane.seen;
        boolean fresh = false;
        if (System.nanoTime() - lane.at > KNOWN_NANOS) {
            seen = null;
        }
        // Kept only behind a success: after a failure nobody knows what is in the node.
        lane.seen = null;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            if (seen == null) {
                seen = read(call, change.name(), change.path());
                fresh = true;
            }
            Applied<T> applied = Applied.of(seen.entry(), change.step());
            if (applied.after() == null || applied.after().equals(seen.entry())) {
                if (fresh) {
                    lane.seen = seen;
                    lane.at = System.nanoTime();
                    return applied.outcome();
                }
                seen = null; // by what this process knew, nothing is to be done: see whether that is still so
                continue;
            }
            try {
                lane.seen = new Seen(applied.after(), write(call, change.path(), seen, applied.after()));
                lane.at = System.nanoTime();
                return applied.outcome();
            } catch (ZooKeeperConflict e) {
                requireBase(seen, e);
                seen = null;
                if (!call.pause(attempt)) {
                    break;
                }
            }
        }
        throw new BackendUnavailableException("Sequence \"" + change.name()
                + "\" is wanted by so many processes that this one was always overtaken; take greater ranges");
    }

    /** What a step makes of an entry, and what it returned or threw. */
    private record Applied<T>(
            RangeTable.@Nullable Entry after,
            @Nullable T result,
            @Nullable TenonException failure) {
        static <T> Applied<T> of(RangeTable.@Nullable Entry before, Function<RangeTable, T> step) {
            RangeTable table = RangeTable.of(before == null ? List.of() : List.of(before));
            T result = null;
            TenonException failure = null;
            try {
                result = step.apply(table);
            } catch (TenonException e) {
                failure = e;
            }
            List<RangeTable.Entry> after = table.export();
            return new Applied<>(after.isEmpty() ? null : after.get(0), result, failure);
        }

        T outcome() {
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(result);
        }
    }

    private static Seen read(ZooKeeperCall call, String name, String path) {
        return call.awaitRead(call.readLatest(path))
                .map(node -> new Seen(
                        ZooKeeperText.range(name, path, node.data()),
                        node.stat().getVersion()))
                .orElse(new Seen(null, 0));
    }

    /** @return the node's version from now on */
    private int write(ZooKeeperCall call, String path, Seen seen, RangeTable.Entry after) {
        byte[] data = ZooKeeperText.of(after);
        if (seen.entry() == null) {
            return call.awaitWrite(call.create(path, data)).getVersion();
        }
        if (seen.version() < versionMax) {
            Stat stat = call.awaitWrite(call.set(path, data, seen.version()));
            return stat.getVersion();
        }
        // The versions of a node are used up after 2³¹ changes: begin again with a node of the same name.
        call.awaitWrite(call.all(List.of(Op.delete(path, seen.version()), call.creation(path, data))));
        return 0;
    }

    private void requireBase(Seen seen, ZooKeeperConflict conflict) {
        if (seen.entry() == null && conflict.code() == Code.NONODE) {
            throw ZooKeeperErrors.dataLost(link.paths().ranges(), conflict);
        }
    }
}
