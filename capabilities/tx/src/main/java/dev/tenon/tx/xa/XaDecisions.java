package dev.tenon.tx.xa;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.spi.ModeProtocol.Step;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.tcc.TccProtocol;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The decision of an XA transaction: one record in the log, under the transaction's ID, written by its own process to
 * commit or by recovery to abort. The log keeps the first of the two, and the second writer finds it. Thread-safe.
 */
final class XaDecisions {
    private static final int ATTEMPTS = 3;
    private static final String BY = "xa recovery";

    /** What makes it another transaction than the one that would be committed under the same ID. */
    private static final String ABORT = "presumed abort";

    private static final Duration ABORT_DEADLINE = Duration.ofSeconds(10);

    private final Transactions transactions;
    private final XaDatabases databases;
    private final XaOptions options;
    private final Steps steps;

    XaDecisions(Transactions transactions, XaDatabases databases, XaOptions options) {
        this.transactions = transactions;
        this.databases = databases;
        this.options = options;
        this.steps = databases.steps();
    }

    /**
     * Decides to commit. When this returns, the transaction is committed.
     *
     * @param prepared the databases to commit
     * @param last the last resource, whose commit carries the decision; empty: a write of its own does
     * @throws TransactionConflictException if recovery has decided to abort
     * @throws BackendUnavailableException if nothing was decided, and it can't be decided now
     * @throws OutcomeUnknownException if it is not known whether it was decided, or an operator has closed the
     *     transaction
     */
    TransactionRecord commit(TransactionId gid, List<String> prepared, Optional<Connection> last) {
        TransactionDraft draft = commitDraft(gid, prepared);
        return requireCommitting(
                last.isPresent()
                        ? steps.around("decide with last", () -> commitWith(last.get(), draft))
                        : steps.around("decide", () -> commitInLog(draft)));
    }

    private TransactionRecord commitInLog(TransactionDraft draft) {
        RuntimeException unknown = null;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try {
                return transactions.open(draft);
            } catch (TransactionConflictException e) {
                throw e;
            } catch (BackendUnavailableException e) {
                if (unknown == null) {
                    throw e; // nothing was written, ever
                }
            } catch (RuntimeException e) {
                unknown = e;
            }
        }
        throw new OutcomeUnknownException(
                "Transaction " + draft.gid() + ": whether the decision was written to the log is not known", unknown);
    }

    private TransactionRecord commitWith(Connection last, TransactionDraft draft) {
        TransactionRecord record;
        try {
            record = transactions.open(last, draft);
        } catch (RuntimeException e) {
            throw new BackendUnavailableException(e.getMessage() + "; nothing of it was committed", e);
        }
        try {
            last.commit();
            return record;
        } catch (SQLException e) {
            XaTransaction.rollback(last); // or it would wait for itself below
            return askAfter(e, record);
        }
    }

    /** The last resource's commit has failed. Once an abort was written to the log, it can't have happened any more. */
    private TransactionRecord askAfter(SQLException failure, TransactionRecord record) {
        TransactionState state;
        try {
            state = abort(record.gid(), "the commit of the last resource failed");
        } catch (TenonException e) {
            e.addSuppressed(failure);
            throw new OutcomeUnknownException(
                    "Transaction " + record.gid() + ": the commit of the last resource was not answered, and whether it"
                            + " happened can't be asked now",
                    e);
        }
        if (state == TransactionState.COMMITTING || state == TransactionState.COMMITTED) {
            return record;
        }
        if (state == TransactionState.CLOSED) {
            throw closed(record.gid());
        }
        throw new BackendUnavailableException(
                "the commit of the last resource failed: " + failure.getMessage(), failure);
    }

    private static TransactionRecord requireCommitting(TransactionRecord decided) {
        return switch (decided.state()) {
            case COMMITTING, COMMITTED -> decided;
            case CLOSED -> throw closed(decided.gid());
            case ACTIVE, ABORTING, ABORTED ->
                throw new TransactionConflictException("Transaction " + decided.gid() + " is " + decided.state());
        };
    }

    private static OutcomeUnknownException closed(TransactionId gid) {
        return new OutcomeUnknownException(
                "Transaction " + gid + " was closed as it is by an operator: see its history for what is committed");
    }

    /**
     * Decides to abort a transaction that the log does not have, unless another process decides it at this moment.
     *
     * @return what was decided
     */
    TransactionState abort(TransactionId gid, String reason) {
        List<BranchRecord> branches = databases.pools().keySet().stream()
                .map(name -> branch(name, Operation.CANCEL, BranchState.CALLED))
                .toList();
        try {
            transactions.open(draft(gid, ABORT, TransactionState.ACTIVE, ABORT_DEADLINE, branches));
            return transactions.abort(gid, BY, reason).state();
        } catch (TransactionConflictException e) {
            return transactions.find(gid).map(TransactionRecord::state).orElse(TransactionState.ACTIVE);
        }
    }

    /** Writes down which databases have committed. If it fails, recovery finds out what this would have said. */
    void ended(TransactionRecord decided, List<String> committed) {
        try {
            TransactionRecord left =
                    steps.around("end", () -> transactions.change(decided, record -> with(record, committed)));
            if (!left.state().isFinal()) {
                transactions.hurry(decided.gid());
            }
        } catch (TenonException e) {
            // The log is away.
        }
    }

    private static TransactionRecord with(TransactionRecord record, List<String> committed) {
        TransactionRecord next = record;
        for (String name : committed) {
            next = TransactionMachine.answered(
                    next, new Step(name, Operation.CONFIRM), Reply.done(), record.createdAt());
        }
        return TransactionMachine.settled(next, new TccProtocol(TransactionKind.XA), record.createdAt());
    }

    /** What is written to commit. */
    TransactionDraft commitDraft(TransactionId gid, List<String> names) {
        List<BranchRecord> branches = names.stream()
                .map(name -> branch(name, Operation.CONFIRM, BranchState.DONE))
                .toList();
        return draft(gid, "", TransactionState.COMMITTING, options.secondPhase(), branches);
    }

    private BranchRecord branch(String database, Operation operation, BranchState state) {
        return BranchRecord.planned(
                        database,
                        Map.of(operation, XaDatabases.target(database)),
                        transactions.options().service())
                .in(state);
    }

    private TransactionDraft draft(
            TransactionId gid, String payload, TransactionState state, Duration until, List<BranchRecord> branches) {
        return new TransactionDraft(
                gid,
                TransactionKind.XA,
                transactions.options().service(),
                "",
                payload,
                Optional.empty(),
                state,
                until,
                RetryPolicy.FOR_EVER,
                branches);
    }
}
