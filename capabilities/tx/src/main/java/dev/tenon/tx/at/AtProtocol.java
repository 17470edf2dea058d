package dev.tenon.tx.at;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.ModeProtocol;
import dev.tenon.tx.tcc.TccProtocol;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a transaction with automatic undo does next: as one of two phases ({@link TccProtocol}), but that branches of
 * one database are undone in turn, the last first, as a later one may have changed a row of an earlier one.
 */
public final class AtProtocol implements ModeProtocol {
    private final ModeProtocol phases = new TccProtocol(TransactionKind.AT);

    @Override
    public TransactionKind kind() {
        return TransactionKind.AT;
    }

    @Override
    public List<Step> wanted(TransactionRecord tx, Instant now) {
        return phases.wanted(tx, now).stream()
                .filter(step -> step.operation() != Operation.CANCEL || isLastOfItsDatabase(tx, step.branch()))
                .toList();
    }

    private static boolean isLastOfItsDatabase(TransactionRecord tx, String branch) {
        Optional<BranchRecord> last = Optional.empty();
        String database = tx.branch(branch).map(AtProtocol::database).orElse("");
        for (BranchRecord other : tx.branches()) {
            if (other.state().mayHaveRun() && database(other).equals(database)) {
                last = Optional.of(other);
            }
        }
        return last.map(BranchRecord::name).filter(branch::equals).isPresent();
    }

    private static String database(BranchRecord branch) {
        return branch.targets().getOrDefault(Operation.CANCEL, "");
    }

    @Override
    public TransactionRecord settle(TransactionRecord tx, Instant now) {
        return phases.settle(tx, now);
    }

    @Override
    public Optional<String> againstCommit(TransactionRecord tx) {
        return phases.againstCommit(tx);
    }
}
