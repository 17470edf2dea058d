package dev.tenon.tx.tcc;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.ModeProtocol;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a transaction of two phases does next: all branches try at the same time; when all have, they are confirmed;
 * when one is refused, or the deadline passes, those that did or may have tried are cancelled. Confirm and cancel are
 * called until they are done.
 *
 * <p>A branch without a {@link Operation#TRY} target is tried by the initiator of the transaction, which then decides.
 * XA and AT have the same two phases.
 */
public final class TccProtocol implements ModeProtocol {
    private final TransactionKind kind;

    /** The rules of TCC. */
    public TccProtocol() {
        this(TransactionKind.TCC);
    }

    /** The same rules for another kind of two phases. */
    public TccProtocol(TransactionKind kind) {
        this.kind = Objects.requireNonNull(kind, "kind");
    }

    @Override
    public TransactionKind kind() {
        return kind;
    }

    @Override
    public List<Step> wanted(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE ->
                steps(tx, Operation.TRY, b -> b.state() == BranchState.PLANNED || b.state() == BranchState.CALLED);
            case COMMITTING -> steps(tx, Operation.CONFIRM, TccProtocol::isOpen);
            case ABORTING -> steps(tx, Operation.CANCEL, b -> b.state().mayHaveRun());
            case COMMITTED, ABORTED, CLOSED -> List.of();
        };
    }

    @Override
    public TransactionRecord settle(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE -> active(tx, now);
            case COMMITTING -> over(tx, Operation.CONFIRM, BranchState.CONFIRMED, TransactionState.COMMITTED);
            case ABORTING -> over(tx, Operation.CANCEL, BranchState.UNDONE, TransactionState.ABORTED);
            case COMMITTED, ABORTED, CLOSED -> tx;
        };
    }

    /** Not before every branch has tried: what was never reserved can't be confirmed. */
    @Override
    public Optional<String> againstCommit(TransactionRecord tx) {
        return tx.branches().stream()
                .filter(b -> b.targets().containsKey(Operation.TRY)
                        ? b.state() != BranchState.DONE && b.state() != BranchState.UNDONE
                        : b.state() == BranchState.PLANNED)
                .findFirst()
                .map(b -> "branch " + b.name() + " has not tried, or may not have");
    }

    private static TransactionRecord active(TransactionRecord tx, Instant now) {
        boolean tried = !tx.branches().isEmpty()
                && tx.branches().stream().allMatch(b -> b.targets().containsKey(Operation.TRY))
                && tx.allIn(BranchState.DONE);
        if (tried) {
            return tx.in(TransactionState.COMMITTING);
        }
        boolean fails = tx.anyIn(BranchState.REFUSED) || tx.anyIn(BranchState.STUCK);
        return fails || !tx.deadline().isAfter(now) ? tx.in(TransactionState.ABORTING) : tx;
    }

    private static boolean isOpen(BranchRecord branch) {
        return branch.state() == BranchState.PLANNED || branch.state().mayHaveRun();
    }

    /** A branch without a participant for this is over at once; one that was never called needs no cancel. */
    private static TransactionRecord over(
            TransactionRecord tx, Operation operation, BranchState reached, TransactionState end) {
        Predicate<BranchRecord> open =
                operation == Operation.CANCEL ? b -> b.state().mayHaveRun() : TccProtocol::isOpen;
        TransactionRecord next = tx;
        for (BranchRecord branch : tx.branches()) {
            if (open.test(branch) && !branch.targets().containsKey(operation)) {
                next = next.change(branch.name(), b -> b.in(reached));
            }
        }
        return next.branches().stream().noneMatch(open) ? next.in(end) : next;
    }

    private static List<Step> steps(TransactionRecord tx, Operation operation, Predicate<BranchRecord> which) {
        return tx.branches().stream()
                .filter(branch -> branch.targets().containsKey(operation))
                .filter(which)
                .map(branch -> new Step(branch.name(), operation))
                .toList();
    }
}
