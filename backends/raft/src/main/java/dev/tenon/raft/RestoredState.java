package dev.tenon.raft;

import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockTable;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionTable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of a backup, raised above what may have been given out after it was taken, of which nothing is known but
 * how much time has passed.
 */
final class RestoredState {
    /** How far the clock that stamped the backup may have been ahead of the one that is asked now. */
    private static final Duration CLOCK_ERROR = Duration.ofHours(1);

    /** How far timestamps of IDs may have been ahead of the clock that is asked now. */
    private static final Duration TIMESTAMPS_AHEAD = Duration.ofSeconds(10);

    /** Beyond those in the backup, and as many again, slots that may have been claimed for the first time after it. */
    private static final int MORE_SLOTS = 64;

    private static final String RESTORED =
            "restored from a backup: it may have been decided since; see what its branches"
                    + " did, then resume or abort it";

    private RestoredState() {}

    /**
     * @param skip how many numbers each sequence leaves out
     */
    static byte[] above(ReplicaState backup, Instant taken, Instant now, long skip) {
        if (skip < 0) {
            throw new IllegalArgumentException("Sequences can't go back: " + skip);
        }
        // No log takes a million grants, or claims of one worker ID, in a second.
        long steps = ChronoUnit.MICROS.between(taken, now.plus(CLOCK_ERROR));
        long token = backup.locks().snapshot().token() + steps * LockMachine.TOKEN_STRIDE;
        List<RangeTable.Entry> ranges = backup.ranges().export().stream()
                .map(entry -> raised(entry, skip))
                .toList();
        List<WorkerTable.Group> groups = backup.workers().export().stream()
                .map(group -> fenced(group, steps, backup.now(), now.plus(TIMESTAMPS_AHEAD)))
                .toList();
        return SnapshotCodec.encode(new ReplicaState(new ReplicaState.Tables(
                backup.now(),
                new LockTable(new LockTable.Snapshot(backup.now(), token, List.of(), List.of())),
                RangeTable.of(ranges),
                WorkerTable.of(groups),
                backup.definitions(),
                backup.senders(),
                transactions(backup.transactions().snapshot(), steps))));
    }

    /**
     * Versions and epochs that nobody has seen. What was undecided may have been decided after the backup, in either
     * way, so it waits for an operator; what was decided goes on, as each call can be repeated.
     */
    private static TransactionTable transactions(TransactionTable.Snapshot backup, long steps) {
        List<TransactionRecord> all = backup.transactions().stream()
                .map(tx -> {
                    Progress was = tx.progress();
                    boolean waits = tx.state() == TransactionState.ACTIVE;
                    return tx.with(was.ofVersion(was.version() + steps)
                            .claimed(was.claims() + steps)
                            .due(was.dueAt(), Optional.empty())
                            .suspendedFor(waits ? Optional.of(was.suspended().orElse(RESTORED)) : was.suspended()));
                })
                .toList();
        return new TransactionTable(new TransactionTable.Snapshot(all, backup.histories()));
    }

    /** A sequence without its next {@code skip} numbers; used up, if it has no more. */
    static RangeTable.Entry raised(RangeTable.Entry entry, long skip) {
        RangeDefinition definition = entry.definition();
        if (entry.last() > definition.max() - definition.step()) {
            return entry;
        }
        long next = entry.last() + definition.step();
        long left = (definition.max() - next) / definition.step();
        long last = skip == 0 ? entry.last() : next + Math.min(skip - 1, left) * definition.step();
        return new RangeTable.Entry(entry.name(), definition, last);
    }

    /**
     * Nobody holds a slot, no earlier claim is any good, and nothing is issued from any until {@code fence} is over.
     */
    private static WorkerTable.Group fenced(WorkerTable.Group group, long claims, Instant storeNow, Instant fence) {
        Map<Integer, WorkerTable.Entry> known = new HashMap<>();
        int highest = -1;
        for (WorkerTable.Entry entry : group.entries()) {
            known.put(entry.workerId(), entry);
            highest = Math.max(highest, entry.workerId());
        }
        long covered = Math.min(group.capacity(), 2L * (highest + 1) + MORE_SLOTS);
        Instant end = storeNow.truncatedTo(ChronoUnit.MILLIS);
        Instant until = fence.truncatedTo(ChronoUnit.MILLIS);
        // Of another incarnation than any that serves: the first to look waits until those that the backup forgot are
        // over.
        Duration longest = group.settling().longestLease();
        WorkerTable.Settling settling = new WorkerTable.Settling("restored", Instant.EPOCH, longest);
        List<WorkerTable.Entry> entries = new ArrayList<>();
        for (int slot = 0; slot < covered; slot++) {
            WorkerTable.Entry before = known.get(slot);
            Instant last = before != null && before.fence().isAfter(until) ? before.fence() : until;
            long claim = (before == null ? 0 : before.claim()) + claims;
            entries.add(new WorkerTable.Entry(slot, claim, "restored", "restored", end, end, last, last));
        }
        return new WorkerTable.Group(group.name(), group.layout(), group.capacity(), settling, entries);
    }
}
