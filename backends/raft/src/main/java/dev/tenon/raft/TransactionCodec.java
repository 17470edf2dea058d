package dev.tenon.raft;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The binary form of what is in a log of transactions: the fields in the order of their record; kinds, states and
 * operations by their names. Equal tables have equal bytes.
 */
final class TransactionCodec {
    /** What each takes in memory beside its bytes here, roughly. */
    private static final long TRANSACTION_BYTES = 900;

    private static final long BRANCH_BYTES = 400;

    private TransactionCodec() {}

    static void writeTable(TransactionTable.Snapshot table, BinaryWriter out) {
        out.writeCount(table.transactions().size());
        for (TransactionRecord tx : table.transactions()) {
            writeRecord(tx, out);
            writeTrouble(tx.progress(), out);
            writeEvents(table.histories().getOrDefault(tx.gid().text(), List.of()), out);
        }
    }

    /** @param troubles whether it says of each transaction whether it is in trouble, as of the fifth version */
    static TransactionTable readTable(BinaryReader in, boolean troubles) {
        List<TransactionRecord> transactions = new ArrayList<>();
        Map<String, List<TransactionEvent>> histories = new HashMap<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(TRANSACTION_BYTES);
            TransactionRecord read = readRecord(in);
            TransactionRecord tx = troubles ? read.with(withTrouble(read.progress(), in)) : read;
            transactions.add(tx);
            List<TransactionEvent> events = readEvents(in);
            if (!events.isEmpty()) {
                histories.put(tx.gid().text(), events);
            }
        }
        return new TransactionTable(new TransactionTable.Snapshot(transactions, histories));
    }

    private static void writeRecord(TransactionRecord tx, BinaryWriter out) {
        out.writeString(tx.gid().text());
        out.writeString(tx.kind().name());
        out.writeString(tx.service());
        out.writeString(tx.name());
        out.writeString(tx.digest());
        out.writeString(tx.payload());
        out.writeOptionalString(tx.parent().map(TransactionId::text));
        out.writeString(tx.retry().text());
        out.writeInstant(tx.createdAt());
        out.writeInstant(tx.deadline());
        writeProgress(tx.progress(), out);
        writeBranches(tx.branches(), out);
    }

    private static TransactionRecord readRecord(BinaryReader in) {
        return new TransactionRecord(
                new TransactionId(in.readString()),
                TransactionKind.valueOf(in.readString()),
                in.readString(),
                in.readString(),
                in.readString(),
                in.readString(),
                in.readOptionalString().map(TransactionId::new),
                RetryPolicy.of(in.readString()),
                in.readInstant(),
                in.readInstant(),
                readProgress(in),
                readBranches(in));
    }

    static void writeProgress(Progress progress, BinaryWriter out) {
        out.writeString(progress.state().name());
        out.writeCount(progress.version());
        out.writeCount(progress.claims());
        out.writeOptionalString(progress.owner());
        out.writeInstant(progress.dueAt());
        out.writeOptionalString(progress.suspended());
        out.writeOptionalInstant(progress.endedAt());
    }

    static Progress readProgress(BinaryReader in) {
        return new Progress(
                TransactionState.valueOf(in.readString()),
                in.readCount(),
                in.readCount(),
                in.readOptionalString(),
                in.readInstant(),
                in.readOptionalString(),
                in.readOptionalInstant(),
                Optional.empty());
    }

    /** What {@link #writeProgress} leaves out. */
    static void writeTrouble(Progress progress, BinaryWriter out) {
        out.writeOptionalInstant(progress.trouble().map(Trouble::since));
        out.writeOptionalInstant(progress.trouble().flatMap(Trouble::stuckAt));
    }

    static Progress withTrouble(Progress progress, BinaryReader in) {
        Optional<Instant> since = in.readOptionalInstant();
        Optional<Instant> stuckAt = in.readOptionalInstant();
        return progress.troubled(since.map(at -> new Trouble(at, stuckAt)));
    }

    static void writeBranches(List<BranchRecord> branches, BinaryWriter out) {
        out.writeCount(branches.size());
        branches.forEach(branch -> writeBranch(branch, out));
    }

    static List<BranchRecord> readBranches(BinaryReader in) {
        List<BranchRecord> branches = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(BRANCH_BYTES);
            branches.add(readBranch(in));
        }
        return branches;
    }

    static void writeBranch(BranchRecord branch, BinaryWriter out) {
        out.writeString(branch.name());
        out.writeCount(branch.after().size());
        branch.after().forEach(out::writeString);
        out.writeBoolean(branch.pivot());
        out.writeCount(branch.targets().size());
        new TreeMap<>(branch.targets()).forEach((operation, target) -> {
            out.writeString(operation.name());
            out.writeString(target);
        });
        out.writeString(branch.payload());
        out.writeString(branch.state().name());
        out.writeCount(branch.attempts());
        out.writeOptionalInstant(branch.dueAt());
        out.writeOptionalString(branch.result());
        out.writeOptionalString(branch.lastError());
    }

    static BranchRecord readBranch(BinaryReader in) {
        String name = in.readString();
        List<String> after = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            after.add(in.readString());
        }
        boolean pivot = in.readBoolean();
        Map<Operation, String> targets = new EnumMap<>(Operation.class);
        for (int left = in.readSize(); left > 0; left--) {
            targets.put(Operation.valueOf(in.readString()), in.readString());
        }
        return new BranchRecord(
                name,
                after,
                pivot,
                targets,
                in.readString(),
                readState(in),
                in.readSize(),
                in.readOptionalInstant(),
                in.readOptionalString(),
                in.readOptionalString());
    }

    static BranchState readState(BinaryReader in) {
        return BranchState.valueOf(in.readString());
    }

    static void writeEvents(List<TransactionEvent> events, BinaryWriter out) {
        out.writeCount(events.size());
        for (TransactionEvent event : events) {
            out.writeInstant(event.at());
            out.writeString(event.what());
            out.writeString(event.by());
            out.writeString(event.detail());
        }
    }

    static List<TransactionEvent> readEvents(BinaryReader in) {
        List<TransactionEvent> events = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            events.add(new TransactionEvent(in.readInstant(), in.readString(), in.readString(), in.readString()));
        }
        return events;
    }
}
