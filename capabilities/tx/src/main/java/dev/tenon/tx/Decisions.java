package dev.tenon.tx;

import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.BranchRecord;
import dev.tenon.tx.spi.Recovery;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionRecord;
import java.util.Optional;

/** What a decision makes of a transaction, and what can be said of one. */
final class Decisions {
    private Decisions() {}

    /** The transaction, committed by whoever began it; those branches that the caller has tried are done. */
    static TransactionRecord committed(TransactionRecord tx, Recovery rules) {
        return switch (tx.state()) {
            case ACTIVE -> {
                rules.againstCommit(tx).ifPresent(why -> {
                    throw new TransactionConflictException("Transaction " + tx.gid() + " can't be committed: " + why);
                });
                yield atOnce(TransactionMachine.decided(tx.in(TransactionState.COMMITTING)));
            }
            case COMMITTING, COMMITTED -> tx;
            case ABORTING, ABORTED ->
                throw new TransactionAbortedException(
                        "Transaction " + tx.gid() + " is " + tx.state() + ": it can't be committed any more");
        };
    }

    /** The transaction, aborted. */
    static TransactionRecord aborted(TransactionRecord tx, Recovery rules) {
        return switch (tx.state()) {
            case ACTIVE -> {
                if (!rules.mayAbort(tx)) {
                    throw new TransactionConflictException(
                            "Transaction " + tx.gid() + " can't be aborted while nobody knows"
                                    + " whether its pivot has had its effect: ask again when that is known");
                }
                yield atOnce(TransactionMachine.decided(tx.in(TransactionState.ABORTING)));
            }
            case ABORTING, ABORTED -> tx;
            case COMMITTING, COMMITTED ->
                throw new TransactionConflictException(
                        "Transaction " + tx.gid() + " is " + tx.state() + ": what was decided is not taken back");
        };
    }

    /** The transaction that was begun, now or before. */
    static TransactionRecord required(Begun begun) {
        if (begun instanceof Begun.Conflicting conflicting) {
            TransactionRecord other = conflicting.transaction();
            throw new TransactionConflictException(
                    "Transaction " + other.gid() + " has begun already with another content" + " (it is a "
                            + other.kind().text() + ", " + other.state() + "): choose another ID");
        }
        return begun.transaction();
    }

    /** Due now, if nobody drives it: whoever decides may die before the first call. */
    static TransactionRecord atOnce(TransactionRecord tx) {
        return tx.progress().owner().isPresent() ? tx : tx.due(tx.createdAt(), Optional.empty());
    }

    /** The transaction with the calls that wait for their next attempt due now. */
    static TransactionRecord awake(TransactionRecord tx) {
        return tx.withBranches(tx.branches().stream()
                .map(b -> b.dueAt().isEmpty()
                        ? b
                        : new BranchRecord(
                                b.name(),
                                b.after(),
                                b.pivot(),
                                b.targets(),
                                b.payload(),
                                b.state(),
                                b.attempts(),
                                Optional.empty(),
                                b.result(),
                                b.lastError()))
                .toList());
    }

    /** What can be said of it. */
    static TransactionOutcome outcome(TransactionRecord tx) {
        return switch (tx.state()) {
            case COMMITTED -> new TransactionOutcome.Committed();
            case ABORTED -> new TransactionOutcome.Aborted();
            default ->
                new TransactionOutcome.InDoubt(
                        tx.suspended().map(why -> "suspended: " + why).orElse("it is " + tx.state()));
        };
    }
}
