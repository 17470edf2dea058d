package dev.tenon.grpc;

import dev.tenon.protocol.ListTransactionsRequest;
import dev.tenon.protocol.LoggedBranch;
import dev.tenon.protocol.LoggedTransaction;
import dev.tenon.protocol.NewTransaction;
import dev.tenon.protocol.TransactionNote;
import dev.tenon.protocol.TransactionProgress;
import dev.tenon.protocol.UpdateTransactionRequest;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is in a log of transactions, as messages of {@code tenon.v1} and back: for both ends of the service
 * {@code TransactionLog}. What a message can't be read as is refused with {@link IllegalArgumentException}. Pure
 * functions.
 */
public final class TransactionMessages {
    private TransactionMessages() {}

    /** A transaction that is to begin, as a message. */
    public static NewTransaction message(TransactionDraft draft) {
        NewTransaction.Builder message = NewTransaction.newBuilder()
                .setGid(draft.gid().text())
                .setKind(draft.kind().text())
                .setService(draft.service())
                .setName(draft.name())
                .setPayload(draft.payload())
                .setState(draft.state().name())
                .setDeadline(TimeMessages.message(draft.deadline()))
                .setRetry(draft.retry().text());
        draft.parent().ifPresent(parent -> message.setParent(parent.text()));
        draft.branches().forEach(branch -> message.addBranches(message(branch)));
        return message.build();
    }

    /** A transaction that is to begin. */
    public static TransactionDraft draft(NewTransaction message) {
        return new TransactionDraft(
                new TransactionId(message.getGid()),
                TransactionKind.of(message.getKind()),
                message.getService(),
                message.getName(),
                message.getPayload(),
                message.hasParent() ? Optional.of(new TransactionId(message.getParent())) : Optional.empty(),
                word(TransactionState.class, message.getState()),
                TimeMessages.duration(message.getDeadline()),
                retry(message.getRetry()),
                message.getBranchesList().stream()
                        .map(TransactionMessages::branch)
                        .toList());
    }

    /** A transaction of the log as a message. */
    public static LoggedTransaction message(TransactionRecord tx) {
        LoggedTransaction.Builder message = LoggedTransaction.newBuilder()
                .setGid(tx.gid().text())
                .setKind(tx.kind().text())
                .setService(tx.service())
                .setName(tx.name())
                .setDigest(tx.digest())
                .setPayload(tx.payload())
                .setRetry(tx.retry().text())
                .setCreatedAt(TimeMessages.message(tx.createdAt()))
                .setDeadline(TimeMessages.message(tx.deadline()))
                .setProgress(message(tx.progress()));
        tx.parent().ifPresent(parent -> message.setParent(parent.text()));
        tx.branches().forEach(branch -> message.addBranches(message(branch)));
        return message.build();
    }

    /** A transaction of the log. */
    public static TransactionRecord record(LoggedTransaction message) {
        return new TransactionRecord(
                new TransactionId(message.getGid()),
                TransactionKind.of(message.getKind()),
                message.getService(),
                message.getName(),
                message.getDigest(),
                message.getPayload(),
                message.hasParent() ? Optional.of(new TransactionId(message.getParent())) : Optional.empty(),
                retry(message.getRetry()),
                TimeMessages.instant(message.getCreatedAt()),
                TimeMessages.instant(message.getDeadline()),
                progress(message.getProgress()),
                message.getBranchesList().stream()
                        .map(TransactionMessages::branch)
                        .toList());
    }

    private static TransactionProgress message(Progress progress) {
        TransactionProgress.Builder message = TransactionProgress.newBuilder()
                .setState(progress.state().name())
                .setVersion(progress.version())
                .setClaims(progress.claims())
                .setDueAt(TimeMessages.message(progress.dueAt()));
        progress.owner().ifPresent(message::setOwner);
        progress.suspended().ifPresent(message::setSuspended);
        progress.endedAt().ifPresent(at -> message.setEndedAt(TimeMessages.message(at)));
        progress.trouble().ifPresent(trouble -> {
            message.setFailingSince(TimeMessages.message(trouble.since()));
            trouble.stuckAt().ifPresent(at -> message.setStuckAt(TimeMessages.message(at)));
        });
        return message.build();
    }

    private static Progress progress(TransactionProgress message) {
        return new Progress(
                word(TransactionState.class, message.getState()),
                count(message.getVersion()),
                count(message.getClaims()),
                message.hasOwner() ? Optional.of(message.getOwner()) : Optional.empty(),
                TimeMessages.instant(message.getDueAt()),
                message.hasSuspended() ? Optional.of(message.getSuspended()) : Optional.empty(),
                message.hasEndedAt() ? Optional.of(TimeMessages.instant(message.getEndedAt())) : Optional.empty(),
                message.hasFailingSince() ? Optional.of(trouble(message)) : Optional.empty());
    }

    private static Trouble trouble(TransactionProgress message) {
        return new Trouble(
                TimeMessages.instant(message.getFailingSince()),
                message.hasStuckAt() ? Optional.of(TimeMessages.instant(message.getStuckAt())) : Optional.empty());
    }

    /** Which transactions to list, as a message, for the page that begins there. */
    public static ListTransactionsRequest message(TransactionFilter filter, String after, int limit) {
        ListTransactionsRequest.Builder message = ListTransactionsRequest.newBuilder()
                .setSuspended(filter.stuck())
                .setAfter(after)
                .setLimit(limit)
                .setIdPrefix(filter.idPrefix())
                .setError(filter.error());
        filter.state().ifPresent(state -> message.setState(state.name()));
        filter.kind().ifPresent(kind -> message.setKind(kind.text()));
        filter.service().ifPresent(message::setService);
        filter.olderThan().ifPresent(age -> message.setOlderThan(TimeMessages.message(age)));
        filter.youngerThan().ifPresent(age -> message.setYoungerThan(TimeMessages.message(age)));
        return message.build();
    }

    /** Which transactions to list. */
    public static TransactionFilter filter(ListTransactionsRequest message) {
        return new TransactionFilter(
                message.hasState() ? Optional.of(state(message.getState())) : Optional.empty(),
                message.hasKind() ? Optional.of(TransactionKind.of(message.getKind())) : Optional.empty(),
                message.getSuspended(),
                message.hasService() ? Optional.of(message.getService()) : Optional.empty(),
                message.getIdPrefix(),
                message.hasOlderThan() ? Optional.of(TimeMessages.duration(message.getOlderThan())) : Optional.empty(),
                message.hasYoungerThan()
                        ? Optional.of(TimeMessages.duration(message.getYoungerThan()))
                        : Optional.empty(),
                message.getError());
    }

    private static LoggedBranch message(BranchRecord branch) {
        LoggedBranch.Builder message = LoggedBranch.newBuilder()
                .setName(branch.name())
                .addAllAfter(branch.after())
                .setPivot(branch.pivot())
                .setPayload(branch.payload())
                .setState(branch.state().name())
                .setAttempts(branch.attempts());
        branch.targets().forEach((operation, target) -> message.putTargets(operation.text(), target));
        branch.dueAt().ifPresent(at -> message.setDueAt(TimeMessages.message(at)));
        branch.result().ifPresent(message::setResult);
        branch.lastError().ifPresent(message::setLastError);
        return message.build();
    }

    private static BranchRecord branch(LoggedBranch message) {
        Map<Operation, String> targets = new EnumMap<>(Operation.class);
        message.getTargetsMap().forEach((operation, target) -> targets.put(Operation.of(operation), target));
        return new BranchRecord(
                message.getName(),
                message.getAfterList(),
                message.getPivot(),
                targets,
                message.getPayload(),
                word(BranchState.class, message.getState()),
                (int) count(message.getAttempts()),
                message.hasDueAt() ? Optional.of(TimeMessages.instant(message.getDueAt())) : Optional.empty(),
                message.hasResult() ? Optional.of(message.getResult()) : Optional.empty(),
                message.hasLastError() ? Optional.of(message.getLastError()) : Optional.empty());
    }

    /** An update as a message: what was read, and what changes. */
    public static UpdateTransactionRequest update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        UpdateTransactionRequest.Builder message = UpdateTransactionRequest.newBuilder()
                .setBefore(message(before))
                .setProgress(message(after.progress()))
                .setBranches(after.branches().size());
        for (int i = 0; i < after.branches().size(); i++) {
            BranchRecord branch = after.branches().get(i);
            if (i >= before.branches().size()
                    || !branch.equals(before.branches().get(i))) {
                message.addChanges(
                        UpdateTransactionRequest.Change.newBuilder().setIndex(i).setBranch(message(branch)));
            }
        }
        events.forEach(event -> message.addNotes(message(event)));
        return message.build();
    }

    /** What an update is to leave. */
    public static TransactionRecord after(UpdateTransactionRequest message) {
        TransactionRecord before = record(message.getBefore());
        List<BranchRecord> branches = new ArrayList<>(before.branches());
        int count = message.getBranches();
        if (count < 0 || count > before.branches().size() + message.getChangesCount()) {
            throw new IllegalArgumentException("An update that leaves " + count + " branches names those that are new");
        }
        if (count < branches.size()) {
            branches.subList(count, branches.size()).clear();
        }
        for (UpdateTransactionRequest.Change change : message.getChangesList()) {
            int index = change.getIndex();
            if (index < 0 || index > branches.size() || index >= count) {
                throw new IllegalArgumentException("There is no place " + index + " for a branch among " + count);
            }
            if (index == branches.size()) {
                branches.add(branch(change.getBranch()));
            } else {
                branches.set(index, branch(change.getBranch()));
            }
        }
        return before.withBranches(branches).with(progress(message.getProgress()));
    }

    /** A line of a history as a message. */
    public static TransactionNote message(TransactionEvent event) {
        return TransactionNote.newBuilder()
                .setAt(TimeMessages.message(event.at()))
                .setWhat(event.what())
                .setBy(event.by())
                .setDetail(event.detail())
                .build();
    }

    /** A line of a history. */
    public static TransactionEvent event(TransactionNote message) {
        return new TransactionEvent(
                TimeMessages.instant(message.getAt()), message.getWhat(), message.getBy(), message.getDetail());
    }

    /** The state that a word stands for. */
    public static TransactionState state(String word) {
        return word(TransactionState.class, word);
    }

    private static <E extends Enum<E>> E word(Class<E> type, String text) {
        try {
            return Enum.valueOf(type, text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not among " + List.of(type.getEnumConstants()), e);
        }
    }

    private static long count(long given) {
        if (given < 0) {
            throw new IllegalArgumentException("A count is 0 or more, not " + given);
        }
        return given;
    }

    private static RetryPolicy retry(String text) {
        try {
            return RetryPolicy.of(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("Not a retry policy: \"" + text + "\"", e);
        }
    }
}
