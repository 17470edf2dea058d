package dev.tenon.tx.xa;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
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
 * One transaction over several databases: ask for the connections, work on them, {@link #commit}. What was not
 * committed when it is closed is rolled back. Used by one thread at a time.
 */
public final class XaTransaction implements AutoCloseable {
    private final Xa xa;
    private final TransactionId id;
    private final Optional<Connection> last;
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
        this.begunNanos = xa.options().time().nanoTime();
    }

    /**
     * Its ID, under which the log has what became of it. The log has nothing of one that has written to one database
     * only.
     */
    public TransactionId id() {
        return id;
    }

    /**
     * The connection to one of the databases, the same each time. Its transaction is this one: it refuses {@code
     * commit}, {@code rollback} and {@code setAutoCommit(true)}, its {@code close} does nothing, and it is dead when
     * this is over.
     *
     * @throws IllegalArgumentException if no database has that name
     * @throws BackendUnavailableException if no connection can be opened
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
     * @return {@link TransactionState#COMMITTED} if every database has committed; {@link TransactionState#COMMITTING}
     *     if it is decided, and a database that has failed since will follow when it is back
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

    /** When this returns, it is committed; when it throws "aborted", it never will be. */
    private TransactionRecord decide(List<XaBranch> prepared) {
        try {
            return xa.decisions()
                    .commit(id, prepared.stream().map(XaBranch::database).toList(), last);
        } catch (TransactionConflictException e) {
            throw aborted("recovery has decided so, as it took too long to come here", e);
        } catch (BackendUnavailableException e) {
            throw aborted("it can't be decided: " + e.getMessage(), e);
        } catch (OutcomeUnknownException e) {
            // Let go of the connections, or no other process could end the branches.
            prepared.forEach(XaBranch::evict);
            xa.givesUp(id);
            throw e;
        }
    }

    private TransactionState commit(TransactionRecord decided, List<XaBranch> prepared) {
        List<Boolean> done = xa.each(prepared, XaBranch::commit);
        List<String> committed = new ArrayList<>();
        for (int i = 0; i < done.size(); i++) {
            if (done.get(i)) {
                committed.add(prepared.get(i).database());
            }
        }
        xa.later(() -> xa.decisions().ended(decided, committed)); // off the caller's way
        return done.contains(false) ? TransactionState.COMMITTING : TransactionState.COMMITTED;
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

    static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Broken: the database rolls back.
        }
    }

    /** Ends it if it is still open at its deadline: its thread has left it, or waits for something on a connection. */
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
