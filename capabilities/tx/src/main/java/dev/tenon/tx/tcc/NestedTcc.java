package dev.tenon.tx.tcc;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import java.time.Duration;

/** Carries the decision of a transaction to one that is nested in it. */
final class NestedTcc implements Participant {
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final Tcc tcc;
    private final Transactions transactions;

    NestedTcc(Tcc tcc, Transactions transactions) {
        this.tcc = tcc;
        this.transactions = transactions;
    }

    @Override
    public Reply call(BranchCall call) throws InterruptedException {
        TransactionId nested = new TransactionId(call.payload());
        return switch (call.operation()) {
            case TRY ->
                Reply.done(); // its initiator has tried its branches, and may have aborted it: as to a savepoint
            case CONFIRM -> confirm(nested);
            case CANCEL -> cancel(nested, call.gid());
            default -> throw new IllegalArgumentException("A nested transaction has no " + call.operation());
        };
    }

    private Reply confirm(TransactionId nested) throws InterruptedException {
        try {
            transactions.commit(nested);
        } catch (TransactionConflictException e) {
            requireClosed(nested, e);
        } catch (TransactionAbortedException e) {
            // It was rolled back for itself, as to a savepoint.
        } catch (UnknownTransactionException e) {
            return Reply.done(); // it ended longer ago than the log remembers
        }
        return ended(nested);
    }

    private Reply cancel(TransactionId nested, TransactionId parent) throws InterruptedException {
        if (transactions.find(nested).isEmpty()) {
            // It is begun here in order to be aborted: a late initiator finds it so.
            tcc.openStillborn(nested, parent);
        }
        try {
            transactions.abort(nested, "transaction " + parent, "its parent was aborted");
        } catch (TransactionConflictException e) {
            requireClosed(nested, e);
        }
        return ended(nested);
    }

    /** One that an operator has closed is decided no more, and has ended. */
    private void requireClosed(TransactionId nested, TransactionConflictException otherwise) {
        boolean isClosed = transactions
                .find(nested)
                .filter(tx -> tx.state() == TransactionState.CLOSED)
                .isPresent();
        if (!isClosed) {
            throw otherwise;
        }
    }

    private Reply ended(TransactionId nested) throws InterruptedException {
        TransactionRecord now = transactions.await(nested, PATIENCE);
        if (now.state() == TransactionState.CLOSED) {
            return Reply.refused(
                    "transaction " + nested + " was " + now.suspended().orElse("closed"));
        }
        return now.state().isFinal()
                ? Reply.done()
                : Reply.notYet("transaction " + nested + " is "
                        + now.suspended().map(why -> "suspended: " + why).orElseGet(now.state()::name));
    }
}
