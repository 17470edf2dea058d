package dev.tenon.raft;

import dev.tenon.Names;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockTable;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionEnd;
import dev.tenon.tx.spi.TransactionTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What commands work on: the tables, the time and index of the entry in progress, and whom to tell. Not thread-safe.
 */
final class ReplicaState {
    private static final long DEFINITION_BYTES = 200;

    private final LockTable locks;
    private final RangeTable ranges;
    private final WorkerTable workers;
    private final TreeMap<String, String> definitions;
    private final Senders senders;
    private final TransactionTable transactions;
    private long definitionBytes;
    private Instant now;
    private long index;
    private List<Grant> grants = new ArrayList<>();
    private List<Revocation> revocations = new ArrayList<>();
    private List<SessionEnd> ended = new ArrayList<>();

    ReplicaState() {
        this(new Tables(
                Instant.EPOCH,
                new LockTable(),
                new RangeTable(),
                new WorkerTable(),
                new TreeMap<>(),
                new Senders(),
                new TransactionTable()));
    }

    ReplicaState(Tables tables) {
        this.now = tables.now();
        this.locks = tables.locks();
        this.ranges = tables.ranges();
        this.workers = tables.workers();
        this.definitions = new TreeMap<>(Names.ORDER);
        tables.definitions().forEach(this::define);
        this.senders = tables.senders();
        this.transactions = tables.transactions();
    }

    /** What a state is built from. */
    record Tables(
            Instant now,
            LockTable locks,
            RangeTable ranges,
            WorkerTable workers,
            SortedMap<String, String> definitions,
            Senders senders,
            TransactionTable transactions) {}

    /** Begins an entry: time passes, if the entry says so, and never goes back. */
    void begin(Instant time, long entryIndex) {
        if (time.isAfter(now)) {
            now = time;
        }
        index = entryIndex;
        grants = new ArrayList<>();
        revocations = new ArrayList<>();
        ended = new ArrayList<>();
        noting(locks.advance(now, tokenSeed()));
    }

    /** Whether an entry is seen for the first time. From now on it is not. */
    boolean isNew(EntryCodec.Sender sender) {
        return senders.note(sender);
    }

    Senders senders() {
        return senders;
    }

    /** The answer of a lock call, with what it has to tell put aside. */
    <T> T noting(LockTable.Applied<T> applied) {
        grants.addAll(applied.grants());
        revocations.addAll(applied.revocations());
        ended.addAll(applied.ended());
        return applied.answer();
    }

    Instant now() {
        return now;
    }

    /** The index of the entry in progress, or of the latest one; 0 if none was seen by this process. */
    long index() {
        return index;
    }

    /** Where the tokens of this entry come from: its index in the log, times the number that each grant reserves. */
    long tokenSeed() {
        return index * LockMachine.TOKEN_STRIDE;
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

    TransactionTable transactions() {
        return transactions;
    }

    /** A view. */
    SortedMap<String, String> definitions() {
        return Collections.unmodifiableSortedMap(definitions);
    }

    /** Defines a name, unless it is defined; the definition that it has then. */
    final String define(String name, String text) {
        String before = definitions.putIfAbsent(name, text);
        definitionBytes += before == null ? DEFINITION_BYTES + 2L * (name.length() + text.length()) : 0;
        return before == null ? text : before;
    }

    /** Gives a name another definition, if it has this one. */
    boolean redefine(String name, String before, String text) {
        boolean replaced = definitions.replace(name, before, text);
        definitionBytes += replaced ? 2L * (text.length() - before.length()) : 0;
        return replaced;
    }

    /** Takes a definition away, if the name has this one. */
    boolean undefine(String name, String text) {
        boolean removed = definitions.remove(name, text);
        definitionBytes -= removed ? DEFINITION_BYTES + 2L * (name.length() + text.length()) : 0;
        return removed;
    }

    /** How much memory all of it takes, roughly. */
    long bytes() {
        return locks.bytes() + ranges.bytes() + workers.bytes() + definitionBytes + transactions.bytes();
    }

    SortedMap<String, String> definitionsCopy() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(definitions));
    }

    List<Grant> grants() {
        return grants;
    }

    List<Revocation> revocations() {
        return revocations;
    }

    List<SessionEnd> ended() {
        return ended;
    }
}
