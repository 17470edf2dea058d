package dev.tenon.tx.notify;

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
 * What a notification does next: it is sent until the receiver takes it (committed), refuses it, or its age is over
 * (aborted). The deadline of the transaction is the age.
 */
public final class NotifyProtocol implements ModeProtocol {
    @Override
    public TransactionKind kind() {
        return TransactionKind.NOTIFY;
    }

    // tag::protocol[]
    @Override
    public List<Step> wanted(TransactionRecord tx, Instant now) {
        if (tx.state() != TransactionState.ACTIVE) {
            return List.of();
        }
        return tx.branches().stream()
                .filter(b -> b.state() == BranchState.PLANNED || b.state() == BranchState.CALLED)
                .map(b -> new Step(b.name(), Operation.NOTIFY))
                .toList();
    }

    @Override
    public TransactionRecord settle(TransactionRecord tx, Instant now) {
        return switch (tx.state()) {
            case ACTIVE -> {
                if (tx.allIn(BranchState.DONE)) {
                    yield tx.in(TransactionState.COMMITTING);
                }
                boolean over = !tx.deadline().isAfter(now);
                boolean fails = tx.anyIn(BranchState.REFUSED) || tx.anyIn(BranchState.STUCK);
                yield over || fails ? tx.in(TransactionState.ABORTING) : tx;
            }
            case COMMITTING -> tx.in(TransactionState.COMMITTED);
            case ABORTING -> tx.in(TransactionState.ABORTED);
            case COMMITTED, ABORTED, CLOSED -> tx;
        };
    }
    // end::protocol[]

    @Override
    public Optional<String> againstCommit(TransactionRecord tx) {
        return Optional.of("a notification is when its receiver has taken it");
    }
}
