package dev.tenon.raft;

import dev.tenon.raft.TransactionCommand.BeginTransaction;
import dev.tenon.raft.TransactionCommand.BranchChange;
import dev.tenon.raft.TransactionCommand.ClaimTransactions;
import dev.tenon.raft.TransactionCommand.FindHistory;
import dev.tenon.raft.TransactionCommand.FindTransaction;
import dev.tenon.raft.TransactionCommand.ListTransactions;
import dev.tenon.raft.TransactionCommand.PurgeService;
import dev.tenon.raft.TransactionCommand.PurgeTransactions;
import dev.tenon.raft.TransactionCommand.UpdateTransaction;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The binary form of {@link TransactionCommand}s: a tag and the fields in the order of their record. A tag is never
 * given another meaning, as old logs are read by new code.
 */
final class TransactionCommandCodec {
    private static final int BEGIN = 64;
    private static final int FIND = 65;
    private static final int UPDATE = 66;
    private static final int CLAIM = 67;
    private static final int LIST = 68;
    private static final int HISTORY = 69;
    private static final int PURGE = 70;
    private static final int PURGE_SERVICE = 71;
    private static final int UPDATE_IN_TROUBLE = 72;
    private static final int LIST_NEWEST_FIRST = 73;

    private static final int WRITTEN = 0;
    private static final int MOVED = 1;
    private static final int DROPPED = 2;

    private TransactionCommandCodec() {}

    static void write(TransactionCommand<?> command, BinaryWriter out) {
        if (command instanceof BeginTransaction begin) {
            out.writeByte(BEGIN);
            writeDraft(begin.draft(), out);
            out.writeOptionalString(begin.owner());
            out.writeDuration(begin.lease());
        } else if (command instanceof FindTransaction find) {
            out.writeByte(FIND);
            out.writeString(find.gid().text());
        } else if (command instanceof UpdateTransaction update) {
            boolean trouble = update.progress().trouble().isPresent();
            out.writeByte(trouble ? UPDATE_IN_TROUBLE : UPDATE);
            out.writeString(update.gid().text());
            TransactionCodec.writeProgress(update.progress(), out);
            if (trouble) {
                TransactionCodec.writeTrouble(update.progress(), out);
            }
            out.writeCount(update.changes().size());
            update.changes().forEach(change -> writeChange(change, out));
            TransactionCodec.writeEvents(update.events(), out);
        } else if (command instanceof ClaimTransactions claim) {
            out.writeByte(CLAIM);
            out.writeString(claim.claim().service());
            out.writeString(claim.claim().owner());
            out.writeDuration(claim.claim().lease());
            out.writeCount(claim.claim().limit());
        } else if (command instanceof ListTransactions list) {
            out.writeByte(LIST_NEWEST_FIRST);
            writeFilter(list.filter(), out);
            out.writeString(list.after());
            out.writeCount(list.limit());
        } else if (command instanceof FindHistory history) {
            out.writeByte(HISTORY);
            out.writeString(history.gid().text());
        } else if (command instanceof PurgeTransactions purge) {
            out.writeByte(PURGE);
            out.writeDuration(purge.retention());
            out.writeCount(purge.limit());
        } else if (command instanceof PurgeService purge) {
            out.writeByte(PURGE_SERVICE);
            out.writeString(purge.service());
            out.writeDuration(purge.retention());
            out.writeCount(purge.limit());
        } else {
            throw new IllegalArgumentException("No binary form for " + command);
        }
    }

    static TransactionCommand<?> read(int tag, BinaryReader in) {
        return switch (tag) {
            case BEGIN -> new BeginTransaction(readDraft(in), in.readOptionalString(), in.readDuration());
            case FIND -> new FindTransaction(new TransactionId(in.readString()));
            case UPDATE, UPDATE_IN_TROUBLE ->
                new UpdateTransaction(
                        new TransactionId(in.readString()),
                        tag == UPDATE
                                ? TransactionCodec.readProgress(in)
                                : TransactionCodec.withTrouble(TransactionCodec.readProgress(in), in),
                        readChanges(in),
                        TransactionCodec.readEvents(in));
            case CLAIM ->
                new ClaimTransactions(new Claim(in.readString(), in.readString(), in.readDuration(), in.readSize()));
            case LIST -> readOldList(in);
            case LIST_NEWEST_FIRST -> new ListTransactions(readFilter(in), in.readString(), in.readSize());
            case HISTORY -> new FindHistory(new TransactionId(in.readString()));
            case PURGE -> new PurgeTransactions(in.readDuration(), in.readSize());
            case PURGE_SERVICE -> new PurgeService(in.readString(), in.readDuration(), in.readSize());
            default -> throw new IllegalStateException("Unknown command tag " + tag);
        };
    }

    /** Of an earlier version, in another order: nobody waits for its answer any more. */
    private static ListTransactions readOldList(BinaryReader in) {
        in.readOptionalString();
        in.readOptionalString();
        in.readBoolean();
        in.readString();
        return new ListTransactions(TransactionFilter.ALL, "", Math.max(1, in.readSize()));
    }

    private static void writeFilter(TransactionFilter filter, BinaryWriter out) {
        out.writeOptionalString(filter.state().map(Enum::name));
        out.writeOptionalString(filter.kind().map(Enum::name));
        out.writeBoolean(filter.stuck());
        out.writeOptionalString(filter.service());
        out.writeString(filter.idPrefix());
        writeAge(filter.olderThan(), out);
        writeAge(filter.youngerThan(), out);
        out.writeString(filter.error());
    }

    private static TransactionFilter readFilter(BinaryReader in) {
        return new TransactionFilter(
                in.readOptionalString().map(TransactionState::valueOf),
                in.readOptionalString().map(TransactionKind::valueOf),
                in.readBoolean(),
                in.readOptionalString(),
                in.readString(),
                readAge(in),
                readAge(in),
                in.readString());
    }

    private static void writeAge(Optional<Duration> age, BinaryWriter out) {
        out.writeBoolean(age.isPresent());
        age.ifPresent(out::writeDuration);
    }

    private static Optional<Duration> readAge(BinaryReader in) {
        return in.readBoolean() ? Optional.of(in.readDuration()) : Optional.empty();
    }

    private static void writeDraft(TransactionDraft draft, BinaryWriter out) {
        out.writeString(draft.gid().text());
        out.writeString(draft.kind().name());
        out.writeString(draft.service());
        out.writeString(draft.name());
        out.writeString(draft.payload());
        out.writeOptionalString(draft.parent().map(TransactionId::text));
        out.writeString(draft.state().name());
        out.writeDuration(draft.deadline());
        out.writeString(draft.retry().text());
        TransactionCodec.writeBranches(draft.branches(), out);
    }

    private static TransactionDraft readDraft(BinaryReader in) {
        return new TransactionDraft(
                new TransactionId(in.readString()),
                TransactionKind.valueOf(in.readString()),
                in.readString(),
                in.readString(),
                in.readString(),
                in.readOptionalString().map(TransactionId::new),
                TransactionState.valueOf(in.readString()),
                in.readDuration(),
                RetryPolicy.of(in.readString()),
                TransactionCodec.readBranches(in));
    }

    private static void writeChange(BranchChange change, BinaryWriter out) {
        if (change instanceof BranchChange.Written written) {
            out.writeByte(WRITTEN);
            out.writeCount(written.index());
            TransactionCodec.writeBranch(written.branch(), out);
        } else if (change instanceof BranchChange.Moved moved) {
            out.writeByte(MOVED);
            out.writeCount(moved.index());
            out.writeString(moved.state().name());
            out.writeCount(moved.attempts());
            out.writeOptionalInstant(moved.dueAt());
            out.writeOptionalString(moved.result());
            out.writeOptionalString(moved.lastError());
        } else {
            out.writeByte(DROPPED);
            out.writeCount(change.index());
        }
    }

    private static List<BranchChange> readChanges(BinaryReader in) {
        List<BranchChange> changes = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            int kind = in.readByte();
            changes.add(
                    switch (kind) {
                        case WRITTEN -> new BranchChange.Written(in.readSize(), TransactionCodec.readBranch(in));
                        case MOVED ->
                            new BranchChange.Moved(
                                    in.readSize(),
                                    TransactionCodec.readState(in),
                                    in.readSize(),
                                    in.readOptionalInstant(),
                                    in.readOptionalString(),
                                    in.readOptionalString());
                        case DROPPED -> new BranchChange.Dropped(in.readSize());
                        default -> throw new IllegalStateException("Unknown change of a branch: " + kind);
                    });
        }
        return changes;
    }
}
