package dev.tenon.tx.spi;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.StuckAfter;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.ModeProtocol.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a transaction may do next: the one state machine that every mode has, with the {@link ModeProtocol} of its mode
 * for what the modes differ in. A function takes a record, what happened and the store's time, and returns the next
 * record. Pure: no clock, no randomness, no I/O, nothing kept.
 *
 * <p>Before a branch is called for the first time, the log says so ({@link BranchState#CALLED}): the process that
 * recovers it later knows what may have happened. A decision (COMMITTING, ABORTING) is in the log before the first call
 * that follows from it.
 */
public final class TransactionMachine {
    /** What a participant may refuse, unless it was decided that it is to be done. */
    private static final Set<Operation> FIRST_PHASE =
            Set.of(Operation.ACTION, Operation.TRY, Operation.CHECK, Operation.NOTIFY);

    /** What is asked of a branch after each of the two decisions. */
    private static final Set<Operation> TO_COMMIT = Set.of(Operation.ACTION, Operation.CONFIRM, Operation.DELIVER);

    private static final Set<Operation> TO_ABORT = Set.of(Operation.COMPENSATE, Operation.CANCEL);

    private static final String NOT_YET = "not yet: ";

    private TransactionMachine() {}

    /**
     * The record that a store keeps of a new transaction.
     *
     * @throws IllegalArgumentException if it is due before now
     */
    public static TransactionRecord begun(TransactionDraft draft, Optional<String> owner, Instant now, Instant dueAt) {
        if (dueAt.isBefore(now)) {
            throw new IllegalArgumentException("A lease is zero or more, not " + Duration.between(now, dueAt));
        }
        return new TransactionRecord(
                draft.gid(),
                draft.kind(),
                draft.service(),
                draft.name(),
                draft.digest(),
                draft.payload(),
                draft.parent(),
                draft.retry(),
                now,
                now.plus(draft.deadline()),
                new Progress(draft.state(), 1, 1, owner, dueAt, Optional.empty(), Optional.empty(), Optional.empty()),
                draft.branches());
    }

    /** The record after a claim. */
    public static TransactionRecord claimed(TransactionRecord tx, String owner, Instant until) {
        return replaced(tx, tx.claimedBy(owner, until), until);
    }

    /**
     * The record that a store keeps in the place of {@code before}: with the progress and the branches of {@code
     * after}, a new version, and the time of its end.
     *
     * @throws IllegalArgumentException if the state or the epoch would go back, a decision flip, a branch be out of its
     *     bounds or taken away, or one be added after the decision
     */
    public static TransactionRecord replaced(TransactionRecord before, TransactionRecord after, Instant now) {
        if (!before.state().mayBecome(after.state())) {
            throw new IllegalArgumentException(
                    "Transaction " + before.gid() + " is " + before.state() + " and can't become " + after.state());
        }
        TransactionDraft.requireBranches(after.branches());
        requireSameBranches(before, after);
        Progress next = after.progress();
        if (next.claims() < before.progress().claims()) {
            throw new IllegalArgumentException("Transaction " + before.gid() + " was claimed "
                    + before.progress().claims() + " times, which does not become " + next.claims());
        }
        Progress kept = next.ofVersion(before.progress().version() + 1);
        if (!after.state().isFinal()) {
            return before.withBranches(after.branches()).with(kept.endedAt(Optional.empty()));
        }
        boolean tellsWhy = after.state() == TransactionState.CLOSED;
        return before.withBranches(after.branches())
                .with(kept.due(next.dueAt(), Optional.empty())
                        .suspendedFor(tellsWhy ? next.suspended() : Optional.empty())
                        .troubled(Optional.empty())
                        .endedAt(before.progress().endedAt().or(() -> Optional.of(now))));
    }

    /**
     * A branch that was named once may have been called, and what is added after the decision would not be part of it.
     */
    private static void requireSameBranches(TransactionRecord before, TransactionRecord after) {
        List<String> names = before.branches().stream().map(BranchRecord::name).toList();
        List<String> next = after.branches().stream().map(BranchRecord::name).toList();
        boolean kept =
                next.size() >= names.size() && next.subList(0, names.size()).equals(names);
        if (!kept) {
            throw new IllegalArgumentException(
                    "The branches of transaction " + before.gid() + " stay, in their order: others come after them");
        }
        if (next.size() > names.size() && before.state() != TransactionState.ACTIVE) {
            throw new IllegalArgumentException("Transaction " + before.gid() + " is " + before.state()
                    + ": a branch is added before that is decided");
        }
    }

    /** The calls to make now. */
    public static List<Step> due(TransactionRecord tx, ModeProtocol rules, Instant now) {
        if (tx.state().isFinal() || tx.suspended().isPresent()) {
            return List.of();
        }
        return open(tx, rules, now).stream()
                .filter(step -> tx.branch(step.branch())
                        .flatMap(BranchRecord::dueAt)
                        .map(at -> !at.isAfter(now))
                        .orElse(true))
                .toList();
    }

    /** When to poll the transaction next, if nothing happens before; empty if only an operator can resume it. */
    public static Optional<Instant> nextDue(TransactionRecord tx, ModeProtocol rules, Instant now) {
        if (tx.state().isFinal() || tx.suspended().isPresent()) {
            return Optional.empty();
        }
        Optional<Instant> call = open(tx, rules, now).stream()
                .map(step ->
                        tx.branch(step.branch()).flatMap(BranchRecord::dueAt).orElse(now))
                .min(Comparator.naturalOrder());
        if (tx.state() != TransactionState.ACTIVE || !tx.deadline().isAfter(now)) {
            return call;
        }
        return Optional.of(call.filter(at -> at.isBefore(tx.deadline())).orElse(tx.deadline()));
    }

    /** The record with the calls that are about to be made: to be in the log before they are. */
    public static TransactionRecord called(TransactionRecord tx, List<Step> steps) {
        TransactionRecord next = tx;
        for (Step step : steps) {
            next = next.change(
                    step.branch(),
                    branch ->
                            branch.called(branch.state() == BranchState.PLANNED ? BranchState.CALLED : branch.state()));
        }
        return next;
    }

    /** The record with the answer to a call; as it is, if nothing is asked of that branch any more. */
    public static TransactionRecord answered(TransactionRecord tx, Step step, Reply reply, Instant now) {
        if (!isOpen(tx, step)) {
            return tx;
        }
        if (reply instanceof Reply.NotYet notYet) {
            return again(tx, step, NOT_YET + notYet.reason(), now);
        }
        if (reply instanceof Reply.Refused refused) {
            boolean mayRefuse = FIRST_PHASE.contains(step.operation()) && tx.state() != TransactionState.COMMITTING;
            BranchState next = mayRefuse ? BranchState.REFUSED : BranchState.STUCK;
            return tx.change(step.branch(), branch -> branch.in(next, "refused: " + refused.reason()));
        }
        String result = ((Reply.Done) reply).result();
        boolean keeps = step.operation() == Operation.ACTION || step.operation() == Operation.TRY;
        return tx.change(step.branch(), branch -> {
            BranchRecord next = branch.in(doneState(step.operation()));
            return keeps ? next.withResult(result) : next;
        });
    }

    /** Whether the branch still waits for an answer: it may have been undone from outside while it was called. */
    private static boolean isOpen(TransactionRecord tx, Step step) {
        return tx.branch(step.branch())
                .filter(b -> b.state() == BranchState.CALLED
                        || b.state() == BranchState.STUCK
                        || b.state() == BranchState.DONE && !FIRST_PHASE.contains(step.operation()))
                .isPresent();
    }

    /** The record after a call that failed: it may have had its effect. */
    public static TransactionRecord failed(TransactionRecord tx, Step step, String error, Instant now) {
        if (!isOpen(tx, step)) {
            return tx;
        }
        BranchRecord branch = tx.branch(step.branch()).orElseThrow();
        return tx.retry().isUsedUp(branch.attempts())
                ? tx.change(step.branch(), b -> b.in(BranchState.STUCK, error))
                : again(tx, step, error, now);
    }

    /** The record after a call that was marked but never made: it does not count towards the limit of its retries. */
    public static TransactionRecord uncalled(TransactionRecord tx, Step step, String why, Instant now) {
        if (!isOpen(tx, step)) {
            return tx;
        }
        // The branch stays as it is marked: an earlier call may have been made, by a process that has ended since.
        return again(tx, step, why, now).change(step.branch(), BranchRecord::uncalled);
    }

    /** The record with the state that everything leads to, suspended if only an operator can help it on. */
    public static TransactionRecord settled(TransactionRecord tx, ModeProtocol rules, Instant now) {
        TransactionRecord next = tx;
        for (TransactionRecord before = null; !next.equals(before); ) {
            before = next;
            next = rules.settle(next, now);
            boolean decides = before.state() == TransactionState.ACTIVE && next.state() != TransactionState.ACTIVE;
            next = decides ? decided(next) : next;
        }
        if (next.state().isFinal()
                || next.suspended().isPresent()
                || !open(next, rules, now).isEmpty()) {
            return next;
        }
        Optional<String> stuck = next.branches().stream()
                .filter(branch -> branch.state() == BranchState.STUCK)
                .findFirst()
                .map(branch -> branch.name() + ": " + branch.lastError().orElse("can't go on"));
        boolean undecided =
                next.state() == TransactionState.ACTIVE && next.deadline().isAfter(now);
        return stuck.isEmpty() && undecided
                ? next
                : next.suspendedFor(Optional.of(stuck.orElse("nothing is left to do, but it is not at its end")));
    }

    /**
     * The record at the moment of its decision: what waits, or is stuck, is called at once for what follows from that,
     * with its calls counted anew. A branch that its caller has tried is done if the caller commits. What was suspended
     * for what was stuck goes on.
     */
    public static TransactionRecord decided(TransactionRecord tx) {
        boolean commits = tx.state() == TransactionState.COMMITTING || tx.state() == TransactionState.COMMITTED;
        TransactionRecord next = tx.withBranches(
                        tx.branches().stream().map(b -> decided(b, commits)).toList())
                .with(tx.progress().troubled(Optional.empty()));
        return tx.anyIn(BranchState.STUCK) ? next.suspendedFor(Optional.empty()) : next;
    }

    private static BranchRecord decided(BranchRecord branch, boolean commits) {
        Set<Operation> targets = branch.targets().keySet();
        boolean called = targets.stream().anyMatch((commits ? TO_COMMIT : TO_ABORT)::contains);
        boolean triedByCaller = commits && targets.stream().noneMatch(FIRST_PHASE::contains);
        return switch (branch.state()) {
            case CALLED, STUCK ->
                triedByCaller && !targets.contains(Operation.DELIVER)
                        ? branch.afresh(BranchState.DONE)
                        : called ? branch.afresh(BranchState.CALLED) : branch;
            case DONE ->
                called && !(commits && targets.contains(Operation.ACTION)) ? branch.afresh(BranchState.DONE) : branch;
            default -> branch;
        };
    }

    /**
     * The record after an operator has fixed the cause: stuck branches are called again, at once.
     */
    public static TransactionRecord retried(TransactionRecord tx) {
        boolean secondPhase = tx.state() == TransactionState.ABORTING
                || tx.state() == TransactionState.COMMITTING
                        && tx.branches().stream().anyMatch(b -> b.targets().containsKey(Operation.CONFIRM));
        BranchState unstuck = secondPhase ? BranchState.DONE : BranchState.CALLED;
        return tx.withBranches(tx.branches().stream()
                        .map(branch -> branch.state() == BranchState.STUCK
                                ? branch.afresh(unstuck)
                                : branch.dueAt().isPresent() ? branch.afresh(branch.state()) : branch)
                        .toList())
                .with(tx.progress().troubled(Optional.empty()))
                .suspendedFor(Optional.empty());
    }

    /**
     * The record with what is known of its {@linkplain TransactionRecord.Trouble trouble}: since when calls are made
     * again and again, and whether that is to be reported. A participant that says "not yet" in time is none: it works.
     */
    public static TransactionRecord watched(TransactionRecord tx, StuckAfter after, Instant now) {
        if (tx.state().isFinal() || tx.suspended().isPresent()) {
            return tx;
        }
        List<BranchRecord> failing =
                tx.branches().stream().filter(b -> isFailing(tx, b, now)).toList();
        if (failing.isEmpty()) {
            return tx.with(tx.progress().troubled(Optional.empty()));
        }
        Trouble trouble = tx.progress().trouble().orElse(new Trouble(now, Optional.empty()));
        int calls = failing.stream().mapToInt(BranchRecord::attempts).max().orElse(0);
        boolean stuck = after.isOver(calls, Duration.between(trouble.since(), now));
        return trouble.stuckAt().isPresent() || !stuck
                ? tx.with(tx.progress().troubled(Optional.of(trouble)))
                : tx.with(tx.progress().troubled(Optional.of(new Trouble(trouble.since(), Optional.of(now)))));
    }

    /**
     * Whether a branch has failed, and has not succeeded since. One that is being called again, or that was called by a
     * process which has died, is failing still: it is no new trouble.
     */
    private static boolean isFailing(TransactionRecord tx, BranchRecord branch, Instant now) {
        boolean open = branch.state() == BranchState.CALLED || branch.state() == BranchState.DONE;
        boolean begun = branch.dueAt().isPresent()
                || branch.attempts() > 0
                || tx.progress().trouble().isPresent();
        boolean patient = tx.state() == TransactionState.ACTIVE && tx.deadline().isAfter(now);
        String error = branch.lastError().orElse("");
        return open && begun && !error.isEmpty() && !(patient && error.startsWith(NOT_YET));
    }

    private static List<Step> open(TransactionRecord tx, ModeProtocol rules, Instant now) {
        return rules.wanted(tx, now).stream()
                .filter(step -> tx.branch(step.branch())
                        .filter(branch -> branch.state() != BranchState.STUCK)
                        .isPresent())
                .toList();
    }

    private static TransactionRecord again(TransactionRecord tx, Step step, String error, Instant now) {
        int seed = tx.gid().hashCode() * 31 + step.branch().hashCode();
        return tx.change(
                step.branch(), branch -> branch.again(now.plus(tx.retry().pause(branch.attempts(), seed)), error));
    }

    private static BranchState doneState(Operation operation) {
        return switch (operation) {
            case ACTION, TRY, DELIVER, CHECK, NOTIFY -> BranchState.DONE;
            case CONFIRM -> BranchState.CONFIRMED;
            case COMPENSATE, CANCEL -> BranchState.UNDONE;
        };
    }
}
