package dev.tenon.tx.at;

import dev.tenon.tx.Participant;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;

/** A database that takes part in transactions with automatic undo; a backend makes it. Thread-safe. */
public interface AtResource {
    /**
     * A connection on which what is changed is noted with its inverse. Its local transaction is one branch: it is
     * committed once, and with it the inverse and the locks on the rows. Committing one that was closed does nothing,
     * unless it was closed with changes: then it throws, as those are lost.
     */
    Connection connect(TransactionId gid, String branch) throws SQLException;

    /**
     * As {@link #connect(TransactionId, String)}, on which rows of a transaction that an operator has closed as it is
     * are free: what is kept of that transaction in this database, its inverse and its locks, is forgotten when the
     * connection comes to one of its rows.
     *
     * @param closed whether a transaction was closed so; asked where a row belongs to another one, within the local
     *     transaction
     */
    default Connection connect(TransactionId gid, String branch, Predicate<TransactionId> closed) throws SQLException {
        return connect(gid, branch);
    }

    /** Forgets the inverse of a branch ({@code CONFIRM}), or carries it out ({@code CANCEL}). */
    Participant participant();
}
