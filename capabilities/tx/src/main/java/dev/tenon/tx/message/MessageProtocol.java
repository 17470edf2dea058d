package dev.tenon.tx.message;

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

/**
 * What a message does next. One that was prepared waits for its sender's word; past the deadline the sender is asked
 * whether its local transaction was committed (the branch with a {@link Operation#CHECK} target). Once submitted, it is
 * delivered to each target until that has taken it; one target that does not delays no other.
 */
public final class MessageProtocol implements ModeProtocol {
    @Override
    public TransactionKind kind() {
        return TransactionKind.MESSAGE;
    }

    @Override
    public List<Step> wanted(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE ->
                check(tx)
                        .filter(check -> !tx.deadline().isAfter(now) && isOpen(check))
                        .map(check -> List.of(new Step(check.name(), Operation.CHECK)))
                        .orElse(List.of());
            case COMMITTING ->
                tx.branches().stream()
                        .filter(branch -> branch.targets().containsKey(Operation.DELIVER) && isOpen(branch))
                        .map(branch -> new Step(branch.name(), Operation.DELIVER))
                        .toList();
            case COMMITTED, ABORTING, ABORTED, CLOSED -> List.of();
        };
    }

    @Override
    public TransactionRecord settle(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE -> active(tx, now);
            case COMMITTING -> {
                boolean delivered = tx.branches().stream()
                        .filter(branch -> branch.targets().containsKey(Operation.DELIVER))
                        .allMatch(branch -> branch.state() == BranchState.DONE);
                yield delivered ? tx.in(TransactionState.COMMITTED) : tx;
            }
            case ABORTING -> tx.in(TransactionState.ABORTED);
            case COMMITTED, ABORTED, CLOSED -> tx;
        };
    }

    private static TransactionRecord active(TransactionRecord tx, Instant now) {
        Optional<BranchRecord> check = check(tx);
        if (check.isEmpty()) {
            // No sender can be asked: what was never submitted was never committed.
            return tx.deadline().isAfter(now) ? tx : tx.in(TransactionState.ABORTING);
        }
        return switch (check.get().state()) {
            case DONE -> tx.in(TransactionState.COMMITTING);
            case REFUSED -> tx.in(TransactionState.ABORTING);
            default -> tx;
        };
    }

    private static Optional<BranchRecord> check(TransactionRecord tx) {
        return tx.branches().stream()
                .filter(branch -> branch.targets().containsKey(Operation.CHECK))
                .findFirst();
    }

    private static boolean isOpen(BranchRecord branch) {
        return branch.state() == BranchState.PLANNED || branch.state() == BranchState.CALLED;
    }
}
