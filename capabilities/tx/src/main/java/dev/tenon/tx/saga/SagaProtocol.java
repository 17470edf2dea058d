package dev.tenon.tx.saga;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.ModeProtocol;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a saga does next (Garcia-Molina and Salem, "Sagas", SIGMOD 1987, with steps as a graph). Forward: every step
 * whose predecessors are done, at the same time as its siblings. A step that is refused, one that has used up its
 * calls, or the deadline turns it backward: what did or may have run is compensated, each step after those that build
 * on it. From the pivot on it only goes forward: what is left is called until it is done.
 */
public final class SagaProtocol implements ModeProtocol {
    @Override
    public TransactionKind kind() {
        return TransactionKind.SAGA;
    }

    @Override
    public List<Step> wanted(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE, COMMITTING ->
                steps(
                        tx,
                        Operation.ACTION,
                        branch -> isOpen(branch)
                                && branch.after().stream().allMatch(name -> isIn(tx, name, BranchState.DONE)));
            case ABORTING ->
                steps(
                        tx,
                        Operation.COMPENSATE,
                        branch -> branch.state().mayHaveRun()
                                && followers(tx, branch).stream()
                                        .noneMatch(b -> b.state().mayHaveRun()));
            case COMMITTED, ABORTED, CLOSED -> List.of();
        };
    }

    @Override
    public TransactionRecord settle(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE -> active(tx, now);
            case COMMITTING -> committing(tx);
            case ABORTING -> aborting(tx);
            case COMMITTED, ABORTED, CLOSED -> tx;
        };
    }

    /** Not while it is unknown whether its pivot has had its effect. */
    @Override
    public boolean mayAbort(TransactionRecord tx) {
        return !isPivotInDoubt(tx);
    }

    @Override
    public Optional<String> againstCommit(TransactionRecord tx) {
        return tx.branches().stream()
                .filter(b -> b.state() == BranchState.REFUSED)
                .findFirst()
                .map(b -> "step " + b.name() + " was refused");
    }

    private static boolean isPivotInDoubt(TransactionRecord tx) {
        return tx.branches().stream().anyMatch(b -> b.pivot() && b.state() == BranchState.CALLED);
    }

    private static TransactionRecord active(TransactionRecord tx, Instant now) {
        if (tx.allIn(BranchState.DONE)) {
            return tx.in(TransactionState.COMMITTING);
        }
        if (tx.branches().stream().anyMatch(b -> b.pivot() && b.state() == BranchState.DONE)) {
            return tx.in(TransactionState.COMMITTING);
        }
        boolean over = !tx.deadline().isAfter(now);
        boolean fails = tx.anyIn(BranchState.REFUSED)
                || tx.branches().stream().anyMatch(b -> b.state() == BranchState.STUCK && !b.pivot());
        // Whether a pivot that was called has had its effect decides everything, so it is asked until it says so, or an
        // operator does.
        boolean pivotIsStuck = tx.branches().stream().anyMatch(b -> b.pivot() && b.state() == BranchState.STUCK);
        return (over || fails) && !isPivotInDoubt(tx) && !pivotIsStuck ? tx.in(TransactionState.ABORTING) : tx;
    }

    /** There is no way back: a step that was refused beside the pivot is stuck, and an operator has to resolve it. */
    private static TransactionRecord committing(TransactionRecord tx) {
        TransactionRecord next = tx;
        for (BranchRecord branch : tx.branches()) {
            if (branch.state() == BranchState.REFUSED) {
                String why = branch.lastError().orElse("refused");
                next = next.change(branch.name(), b -> b.in(BranchState.STUCK, why));
            }
        }
        return next.allIn(BranchState.DONE) ? next.in(TransactionState.COMMITTED) : next;
    }

    private static TransactionRecord aborting(TransactionRecord tx) {
        TransactionRecord next = tx;
        for (BranchRecord branch : tx.branches()) {
            boolean last =
                    followers(next, branch).stream().noneMatch(b -> b.state().mayHaveRun());
            if (last && branch.state().mayHaveRun() && !branch.targets().containsKey(Operation.COMPENSATE)) {
                next = next.change(branch.name(), b -> b.in(BranchState.UNDONE));
            }
        }
        boolean undone = next.branches().stream().noneMatch(b -> b.state().mayHaveRun());
        return undone ? next.in(TransactionState.ABORTED) : next;
    }

    private static boolean isOpen(BranchRecord branch) {
        return branch.state() == BranchState.PLANNED || branch.state() == BranchState.CALLED;
    }

    private static boolean isIn(TransactionRecord tx, String branch, BranchState state) {
        return tx.branch(branch).filter(b -> b.state() == state).isPresent();
    }

    private static List<BranchRecord> followers(TransactionRecord tx, BranchRecord branch) {
        return tx.branches().stream()
                .filter(b -> b.after().contains(branch.name()))
                .toList();
    }

    private static List<Step> steps(TransactionRecord tx, Operation operation, Predicate<BranchRecord> which) {
        return tx.branches().stream()
                .filter(branch -> branch.targets().containsKey(operation))
                .filter(which)
                .map(branch -> new Step(branch.name(), operation))
                .toList();
    }
}
