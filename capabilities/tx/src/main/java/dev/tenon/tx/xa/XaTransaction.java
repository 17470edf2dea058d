package dev.tenon.tx.xa;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Recovery.Step;
import dev.tenon.tx.spi.TransactionDraft;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionRecord;
import dev.tenon.tx.tcc.TccRecovery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import javax.transaction.xa.XAException;
import org.jspecify.annotations.Nullable;

/**
 * One transaction over several databases: ask for the connections, work on them, {@link #commit}. What was not committed
 * when it is closed is rolled back. Used by one thread at a time.
 */
public final class XaTransaction implements AutoCloseable {
    private static final int DECISION_ATTEMPTS = 3;

    private final Xa xa;
    private final TransactionId id;
    private final Optional<Connection> last;
    private final Steps steps;
    private final long begunNanos;
    private final ConcurrentMap<String, XaBranch> branches = new ConcurrentHashMap<>();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

    private enum Phase {
        OPEN,
        /** Over by its deadline; the last resource is not rolled back yet, as only its own thread may do that. */
        EXPIRED,
        OVER
    }

    XaTransaction(Xa xa, TransactionId id, Optional<Connection> last) {
        this.xa = xa;
        this.id = id;
        this.last = last;
        this.steps = xa.databases().steps();
        this.begunNanos = xa.options().time().nanoTime();
    }

    /** Its ID, under which the log has what became of it. The log has nothing of one that has written to one database only. */
    public TransactionId id() {
        return id;
    }

    /**
     * The connection to one of the databases, the same each time. Its transaction is this one: it refuses {@code commit},
     * {@code rollback} and {@code setAutoCommit(true)}, its {@code close} does nothing, and it is dead when this is over.
     *
     * @throws IllegalArgumentException if there is no database of that name
     * @throws BackendUnavailableException if there is no connection to be had
     * @throws TransactionAbortedException if the deadline has passed
     */
    public Connection connection(String database) {
        return branch(database, false);
    }

    /**
     * As {@link #connection}, to read only: the database takes no part in the two phases, and what is written in spite
     * of this (where the database lets it happen) is rolled back.
     */
    public Connection readOnly(String database) {
        return branch(database, true);
    }

    private Connection branch(String database, boolean readOnly) {
        XaPool pool = xa.databases().pool(database);
        requireOpen();
        XaBranch known = branches.get(database);
        if (known != null) {
            if (known.isReadOnly() != readOnly) {
                throw new IllegalStateException("\"" + database + "\" is " + (readOnly ? "not " : "")
                        + "read-only in this transaction already: decide at its first use");
            }
            return known.connection();
        }
        XaBranch branch = XaBranch.start(new XaId(xa.service(), id, database), pool, readOnly);
        branches.put(database, branch);
        if (phase.get() != Phase.OPEN) {
            branch.evict(); // the deadline has passed meanwhile
            requireOpen();
        }
        return branch.connection();
    }

    private TransactionAbortedException over() {
        return new TransactionAbortedException(
                "Transaction " + id + " is over: it was ended, or its deadline has passed");
    }

    private void requireOpen() {
        if (phase.get() != Phase.OPEN) {
            throw over();
        }
    }

    /**
     * Commits all of it, or none.
     *
     * @return {@link TransactionState#COMMITTED} if every database has committed; {@link TransactionState#COMMITTING} if it
     *     is decided, and a database that has failed since will follow when it is back
     * @throws TransactionAbortedException if all of it was, or will be, rolled back; the cause says why
     * @throws OutcomeUnknownException if the log, or the only database, failed at the moment of the decision: {@link
     *     dev.tenon.tx.Transactions#outcome} tells when it is back, and recovery does the rest
     */
    public TransactionState commit() {
        if (endOpen() != Phase.OPEN) {
            throw over();
        }
        try {
            if (isLate()) {
                throw aborted("its deadline of " + xa.options().deadline() + " has passed", null);
            }
            List<XaBranch> writing = new ArrayList<>();
            List<XaBranch> reading = new ArrayList<>();
            branches.values().forEach(branch -> (branch.isReadOnly() ? reading : writing).add(branch));
            if (writing.isEmpty()) {
                return commitLastAlone(reading);
            }
            if (writing.size() == 1 && last.isEmpty()) {
                TransactionState state = commitAlone(writing.get(0));
                xa.each(reading, XaBranch::rollback);
                return state;
            }
            prepare(writing);
            xa.each(reading, XaBranch::rollback);
            writing.removeIf(branch -> branch.stage() == XaBranch.Stage.OVER);
            return commit(decide(writing), writing);
        } finally {
            end();
        }
    }

    private TransactionState commitLastAlone(List<XaBranch> reading) {
        try {
            if (last.isPresent()) {
                last.get().commit();
            }
        } catch (SQLException e) {
            throw new OutcomeUnknownException(
                    "Transaction " + id + " has one database, whose commit failed: " + e.getMessage(), e);
        }
        xa.each(reading, XaBranch::rollback);
        return TransactionState.COMMITTED;
    }

    private TransactionState commitAlone(XaBranch branch) {
        try {
            branch.commitAlone();
            return TransactionState.COMMITTED;
        } catch (SQLException | XAException e) {
            boolean asked = branch.stage() != XaBranch.Stage.ACTIVE;
            branch.evict();
            if (asked && isCommittedAlone(branch.database(), e)) {
                return TransactionState.COMMITTED;
            }
            throw aborted(branch.database() + ": " + XaBranch.text(e), e);
        }
    }

    private boolean isCommittedAlone(String database, Exception cause) {
        XaPool pool = xa.databases().pool(database);
        try {
            return pool.call(link -> pool.isMarked(link, new XaId(xa.service(), id, database)));
        } catch (SQLException | XAException | BackendUnavailableException e) {
            cause.addSuppressed(e);
            throw new OutcomeUnknownException(
                    "Transaction " + id + ": the commit on \"" + database
                            + "\" was not answered, and whether it happened" + " can't be asked now",
                    cause);
        }
    }

    private void prepare(List<XaBranch> writing) {
        List<Optional<Exception>> votes = xa.each(writing, branch -> {
            try {
                branch.prepare();
                return Optional.empty();
            } catch (SQLException | XAException | RuntimeException e) {
                return Optional.of(e);
            }
        });
        for (int i = 0; i < votes.size(); i++) {
            if (votes.get(i).isPresent()) {
                Exception why = votes.get(i).get();
                throw aborted(writing.get(i).database() + " can't commit: " + XaBranch.text(why), why);
            }
        }
    }

    /** Writes the decision. When this returns, it is committed; when it throws "aborted", it never will be. */
    private TransactionRecord decide(List<XaBranch> prepared) {
        TransactionDraft draft = xa.orphans()
                .commit(id, prepared.stream().map(XaBranch::database).toList());
        try {
            return XaOrphans.requireCommitting(
                    last.isPresent()
                            ? steps.around("decide with last", () -> decideWith(last.get(), draft))
                            : steps.around("decide", () -> decideInLog(draft)));
        } catch (TransactionConflictException e) {
            throw aborted("recovery has decided so, as it took too long to come here", e);
        } catch (BackendUnavailableException e) {
            throw aborted("it can't be decided: " + e.getMessage(), e);
        } catch (OutcomeUnknownException e) {
            // Let go of the connections, or nobody else could end the branches.
            prepared.forEach(XaBranch::evict);
            xa.givesUp(id);
            throw e;
        }
    }

    private TransactionRecord decideInLog(TransactionDraft draft) {
        RuntimeException unknown = null;
        for (int attempt = 1; attempt <= DECISION_ATTEMPTS; attempt++) {
            try {
                return xa.transactions().open(draft);
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
                "Transaction " + id + ": whether the decision was written to the log is not known", unknown);
    }

    private TransactionRecord decideWith(Connection connection, TransactionDraft draft) {
        TransactionRecord record;
        try {
            record = xa.transactions().open(connection, draft);
        } catch (RuntimeException e) {
            throw new BackendUnavailableException(e.getMessage() + "; nothing of it was committed", e);
        }
        try {
            connection.commit();
            return record;
        } catch (SQLException e) {
            rollback(connection); // or it would wait for itself below
            return askAfter(e, record);
        }
    }

    /** The last resource's commit has failed. Once an abort was written to the log, it can't have happened any more. */
    private TransactionRecord askAfter(SQLException failure, TransactionRecord record) {
        TransactionState state;
        try {
            state = xa.orphans().abort(id, "the commit of the last resource failed");
        } catch (TenonException e) {
            e.addSuppressed(failure);
            throw new OutcomeUnknownException(
                    "Transaction " + id + ": the commit of the last resource was not answered, and whether it happened"
                            + " can't be asked now",
                    e);
        }
        if (state == TransactionState.COMMITTING || state == TransactionState.COMMITTED) {
            return record;
        }
        if (state == TransactionState.CLOSED) {
            throw XaOrphans.closed(id);
        }
        throw new BackendUnavailableException(
                "the commit of the last resource failed: " + failure.getMessage(), failure);
    }

    private TransactionState commit(TransactionRecord decided, List<XaBranch> prepared) {
        List<Boolean> done = xa.each(prepared, XaBranch::commit);
        List<String> committed = new ArrayList<>();
        for (int i = 0; i < done.size(); i++) {
            if (done.get(i)) {
                committed.add(prepared.get(i).database());
            }
        }
        xa.later(() -> writeEnd(decided, committed));
        return done.contains(false) ? TransactionState.COMMITTING : TransactionState.COMMITTED;
    }

    /** Off the caller's way. If it fails, recovery finds out what this would have said. */
    private void writeEnd(TransactionRecord decided, List<String> committed) {
        try {
            TransactionRecord left =
                    steps.around("end", () -> xa.transactions().change(decided, record -> with(record, committed)));
            if (!left.state().isFinal()) {
                xa.transactions().hurry(id);
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
        return TransactionMachine.settled(next, new TccRecovery(TransactionKind.XA), record.createdAt());
    }

    /** Rolls all of it back, and says why. */
    private TransactionAbortedException aborted(String why, @Nullable Exception cause) {
        rollbackAll();
        TransactionAbortedException aborted =
                new TransactionAbortedException("Transaction " + id + " is rolled back: " + why);
        aborted.initCause(cause);
        return aborted;
    }

    /** Rolls all of it back. Nothing happens if it is over. */
    public void rollback() {
        if (endOpen() == Phase.OPEN) {
            try {
                rollbackAll();
            } finally {
                end();
            }
        }
    }

    private void rollbackAll() {
        last.ifPresent(XaTransaction::rollback);
        boolean well =
                !xa.each(List.copyOf(branches.values()), XaBranch::rollback).contains(false);
        if (!well) {
            xa.givesUp(id);
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Broken: the database rolls back.
        }
    }

    /** Ends it if it is not over by its deadline: whoever began it has left it, or waits for something on a connection. */
    void expire() {
        if (isLate() && phase.compareAndSet(Phase.OPEN, Phase.EXPIRED)) {
            xa.ended(this);
            branches.values().forEach(branch -> xa.later(branch::abort));
        }
    }

    /** From here on it is over. If its deadline was first, the last resource is rolled back now. */
    private Phase endOpen() {
        Phase before = phase.getAndSet(Phase.OVER);
        if (before == Phase.EXPIRED) {
            last.ifPresent(XaTransaction::rollback);
        }
        return before;
    }

    private boolean isLate() {
        return xa.options().time().nanoTime() - begunNanos
                > xa.options().deadline().toNanos();
    }

    /** No branch stays in the hands of a transaction that is over. */
    private void end() {
        for (XaBranch branch : branches.values()) {
            if (branch.stage() != XaBranch.Stage.OVER) {
                branch.evict();
                xa.givesUp(id);
            }
        }
        xa.ended(this);
    }

    /** Rolls back what was not committed. Never throws. */
    @Override
    public void close() {
        rollback();
    }
}
