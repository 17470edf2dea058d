package dev.tenon.raft;

import dev.tenon.Names;
import dev.tenon.id.spi.RangeTable;
import dev.tenon.id.spi.WorkerTable;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What commands work on: the tables, the time and index of the entry in progress, and whom to tell. Not thread-safe. */
final class ReplicaState {
    private final LockTable locks;
    private final RangeTable ranges;
    private final WorkerTable workers;
    private final TreeMap<String, String> definitions;
    private Instant now;
    private long index;
    private List<Grant> grants = new ArrayList<>();
    private List<String> endedSessions = new ArrayList<>();

    ReplicaState() {
        this(new Tables(Instant.EPOCH, new LockTable(), new RangeTable(), new WorkerTable(), new TreeMap<>()));
    }

    ReplicaState(Tables tables) {
        this.now = tables.now();
        this.locks = tables.locks();
        this.ranges = tables.ranges();
        this.workers = tables.workers();
        this.definitions = new TreeMap<>(Names.ORDER);
        this.definitions.putAll(tables.definitions());
    }

    /** What a state is built from. */
    record Tables(
            Instant now,
            LockTable locks,
            RangeTable ranges,
            WorkerTable workers,
            SortedMap<String, String> definitions) {}

    /** Begins an entry: time passes, if the entry says so, and never goes back. */
    void begin(Instant time, long entryIndex) {
        if (time.isAfter(now)) {
            now = time;
        }
        index = entryIndex;
        grants = new ArrayList<>();
        endedSessions = new ArrayList<>();
        noting(locks.advance(now, index));
    }

    /** The answer of a lock call, with what it has to tell put aside. */
    <T> T noting(LockTable.Applied<T> applied) {
        grants.addAll(applied.grants());
        endedSessions.addAll(applied.endedSessions());
        return applied.answer();
    }

    Instant now() {
        return now;
    }

    /** Index of the entry in the log, which is where tokens come from. */
    long index() {
        return index;
    }

    LockTable locks() {
        return locks;
    }

    RangeTable ranges() {
        return ranges;
    }

    WorkerTable workers() {
        return workers;
    }

    SortedMap<String, String> definitions() {
        return definitions;
    }

    SortedMap<String, String> definitionsCopy() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(definitions));
    }

    List<Grant> grants() {
        return grants;
    }

    List<String> endedSessions() {
        return endedSessions;
    }
}
