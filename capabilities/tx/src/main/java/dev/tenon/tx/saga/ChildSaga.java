package dev.tenon.tx.saga;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.time.Duration;
import java.util.Optional;

/**
 * A step that is a saga of its own. Undone before it was begun, it is begun and aborted in its parent's stead, so that
 * the late call that would have begun it finds it aborted.
 */
final class ChildSaga implements Participant {
    /** Long enough for a short child, short enough not to keep a thread from others. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final Transactions transactions;
    private final Sagas sagas;
    private final SagaStep.Child child;

    ChildSaga(Transactions transactions, Sagas sagas, SagaStep.Child child) {
        this.transactions = transactions;
        this.sagas = sagas;
        this.child = child;
    }

    @Override
    public Reply call(BranchCall call) throws InterruptedException {
        TransactionId gid = new TransactionId(call.gid() + ":" + call.branch());
        if (call.operation() == Operation.COMPENSATE) {
            return undo(call, gid);
        }
        if (find(gid, call).isEmpty()) {
            String context = child.context().apply(call);
            transactions.begin(sagas.draft(child.saga(), gid, context, Optional.of(call.gid())));
        }
        return ended(gid);
    }

    private Reply undo(BranchCall call, TransactionId gid) throws InterruptedException {
        Optional<TransactionRecord> begun = find(gid, call);
        if (begun.isEmpty()) {
            transactions.open(sagas.stillborn(child.saga(), gid, call.gid()));
        }
        try {
            transactions.abort(gid, "saga " + call.gid(), "its parent turned back");
        } catch (TransactionConflictException e) {
            // It is committed, or about to be: it is undone when it has ended.
        }
        TransactionRecord now = transactions.await(gid, PATIENCE);
        return switch (now.state()) {
            case COMMITTED -> undoCommitted(call, now);
            case ABORTED -> Reply.done();
            case CLOSED ->
                Reply.refused("its saga " + gid + " was " + now.suspended().orElse("closed"));
            default -> notYet(now);
        };
    }

    private Reply undoCommitted(BranchCall call, TransactionRecord committed) throws InterruptedException {
        if (child.undo().isEmpty()) {
            return Reply.done();
        }
        TransactionId gid = new TransactionId(committed.gid() + ":undo");
        if (find(gid, call).isEmpty()) {
            transactions.begin(sagas.draft(child.undo().get(), gid, committed.payload(), Optional.of(call.gid())));
        }
        return ended(gid);
    }

    private Reply ended(TransactionId gid) throws InterruptedException {
        TransactionRecord now = transactions.await(gid, PATIENCE);
        return switch (now.state()) {
            case COMMITTED -> Reply.done();
            case ABORTED -> Reply.refused("its saga " + gid + " was aborted");
            default -> notYet(now);
        };
    }

    private static Reply notYet(TransactionRecord child) {
        return Reply.notYet("its saga " + child.gid() + " is "
                + child.suspended()
                        .map(why -> child.state() == TransactionState.CLOSED ? why : "suspended: " + why)
                        .orElseGet(child.state()::name));
    }

    private Optional<TransactionRecord> find(TransactionId gid, BranchCall call) {
        Optional<TransactionRecord> found = transactions.find(gid);
        if (found.isPresent() && !found.get().parent().equals(Optional.of(call.gid()))) {
            throw new TransactionConflictException("Transaction " + gid + " is not a child of " + call.gid()
                    + ": its ID is used by another transaction");
        }
        return found;
    }
}
