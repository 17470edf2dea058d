package dev.tenon.tx.engine;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.ModeProtocol;
import dev.tenon.tx.spi.TransactionMachine;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a decision makes of a transaction, and what can be said of one. */
final class Decisions {
    /** Of a thousand branches, the first ones: a log has to keep it. */
    private static final int LEFT_LENGTH_MAX = 8_000;

    private Decisions() {}

    /** The transaction, committed by its initiator; those branches that the caller has tried are done. */
    static TransactionRecord committed(TransactionRecord tx, ModeProtocol rules) {
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
            case CLOSED -> throw isClosed(tx);
        };
    }

    /** The transaction, aborted. */
    static TransactionRecord aborted(TransactionRecord tx, ModeProtocol rules) {
        return switch (tx.state()) {
            case ACTIVE -> {
                if (!rules.mayAbort(tx)) {
                    throw new TransactionConflictException(
                            "Transaction " + tx.gid() + " can't be aborted while it is unknown"
                                    + " whether its pivot has had its effect: retry when that is known");
                }
                yield atOnce(TransactionMachine.decided(tx.in(TransactionState.ABORTING)));
            }
            case ABORTING, ABORTED -> tx;
            case COMMITTING, COMMITTED ->
                throw new TransactionConflictException(
                        "Transaction " + tx.gid() + " is " + tx.state() + ": what was decided is not taken back");
            case CLOSED -> throw isClosed(tx);
        };
    }

    /** The transaction, given up as it is. */
    static TransactionRecord closed(TransactionRecord tx, String by, String why) {
        boolean ended = tx.state() == TransactionState.COMMITTED || tx.state() == TransactionState.ABORTED;
        if (ended) {
            throw new TransactionConflictException(
                    "Transaction " + tx.gid() + " is " + tx.state() + ": there is nothing left to give up");
        }
        if (tx.state() == TransactionState.ACTIVE && tx.suspended().isEmpty()) {
            throw new TransactionConflictException(
                    "Transaction " + tx.gid() + " is ACTIVE, and its initiator may go on: abort or suspend it first");
        }
        return tx.state() == TransactionState.CLOSED
                ? tx
                : tx.in(TransactionState.CLOSED).suspendedFor(Optional.of("closed by " + by + ": " + why));
    }

    /** How far a transaction is when it is closed, for its history. */
    static String left(TransactionRecord tx) {
        String left = "it was " + tx.state()
                + tx.branches().stream()
                        .map(b -> "; " + b.name() + " " + b.state()
                                + b.lastError().map(error -> " (" + error + ")").orElse(""))
                        .collect(Collectors.joining());
        return left.length() <= LEFT_LENGTH_MAX ? left : left.substring(0, LEFT_LENGTH_MAX - 1) + "…";
    }

    private static TransactionConflictException isClosed(TransactionRecord tx) {
        return new TransactionConflictException("Transaction " + tx.gid() + " was "
                + tx.suspended().orElse("closed") + "; nothing is decided any more");
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

    /** Due now, unless a process drives it: the one that decides may die before the first call. */
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
            case CLOSED -> new TransactionOutcome.Closed(tx.suspended().orElse("closed"));
            default ->
                new TransactionOutcome.InDoubt(
                        tx.suspended().map(why -> "suspended: " + why).orElse("it is " + tx.state()));
        };
    }
}
