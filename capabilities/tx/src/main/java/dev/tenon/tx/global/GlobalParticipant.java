package dev.tenon.tx.global;

import dev.tenon.TenonException;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.time.Duration;
import java.util.Optional;

/** Carries the decision of an initiator to this service's part of the transaction. Thread-safe. */
final class GlobalParticipant implements Participant {
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final GlobalTransactions owner;
    private final Transactions transactions;

    GlobalParticipant(GlobalTransactions owner) {
        this.owner = owner;
        this.transactions = owner.transactions();
    }

    @Override
    public Reply call(BranchCall call) throws InterruptedException {
        TransactionId part = new TransactionId(call.payload());
        if (!GlobalTransactions.parent(part).equals(Optional.of(call.gid()))) {
            return Reply.refused("\"" + part + "\" is not a part of transaction " + call.gid());
        }
        requirePart(part, call.gid());
        Optional<TransactionRecord> closed =
                transactions.find(part).filter(tx -> tx.state() == TransactionState.CLOSED);
        if (closed.isPresent()) {
            return Reply.refused(
                    "transaction " + part + " was " + closed.get().suspended().orElse("closed"));
        }
        return switch (call.operation()) {
            case CONFIRM -> confirm(part, call.gid());
            case CANCEL -> cancel(part, call.gid());
            default ->
                Reply.refused(call.operation().text() + " is nothing to do for a part of a transaction: call confirm or"
                        + " cancel");
        };
    }

    /** Decides nothing but what has begun as a part of that transaction, or not at all. */
    private void requirePart(TransactionId part, TransactionId parent) {
        transactions
                .find(part)
                .filter(tx -> tx.kind() != TransactionKind.AT || !tx.parent().equals(Optional.of(parent)))
                .ifPresent(tx -> {
                    throw new TenonException("Transaction " + part + " is not a part of transaction " + parent);
                });
    }

    private Reply confirm(TransactionId part, TransactionId parent) throws InterruptedException {
        Optional<TransactionRecord> now = transactions.find(part);
        if (now.isEmpty()) {
            return closeDoor(part, parent);
        }
        try {
            transactions.commit(part);
        } catch (TransactionAbortedException e) {
            return now.get().branches().isEmpty()
                    ? Reply.done()
                    : Reply.notYet("its initiator has committed what was aborted here before: undo the other parts by"
                            + " hand, or do this one, and close the initiator's transaction");
        }
        return ended(part);
    }

    private Reply cancel(TransactionId part, TransactionId parent) throws InterruptedException {
        if (transactions.find(part).isEmpty()) {
            return closeDoor(part, parent);
        }
        transactions.abort(part, "transaction " + parent, "its initiator has rolled back");
        return ended(part);
    }

    /** Nothing was done here, and a late call finds it decided. */
    private Reply closeDoor(TransactionId part, TransactionId parent) throws InterruptedException {
        transactions.open(owner.draft(part, Optional.of(parent), "", GlobalTransaction.PARTICIPANT_DEADLINE));
        transactions.abort(part, "transaction " + parent, "it was decided before anything was done here");
        return ended(part);
    }

    private Reply ended(TransactionId part) throws InterruptedException {
        TransactionRecord now = transactions.await(part, PATIENCE);
        return now.state().isFinal()
                ? Reply.done()
                : Reply.notYet("transaction " + part + " is "
                        + now.suspended().map(why -> "suspended: " + why).orElseGet(now.state()::name));
    }
}
