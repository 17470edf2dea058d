package dev.tenon.tx.at;

import dev.tenon.tx.Participant;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;

/** A database that takes part in transactions with automatic undo; a backend makes it. Thread-safe. */
public interface AtResource {
    /**
     * A connection on which what is changed is noted with its inverse. Its local transaction is one branch: it is committed
     * once, and with it the inverse and the locks on the rows. Committing one that was closed does nothing, unless it was closed
     * with changes: then it throws, as those are lost.
     */
    Connection connect(TransactionId gid, String branch) throws SQLException;

    /** Forgets the inverse of a branch ({@code CONFIRM}), or carries it out ({@code CANCEL}). */
    Participant participant();

    /**
     * Lets rows go that belong to a transaction which was given up: who comes to one takes it over, and that transaction's inverse is forgotten.
     * Does nothing unless a backend says otherwise.
     *
     * @param closed whether a transaction is closed as it is, and nothing of it will be undone; may ask the log, and throw what that throws
     */
    default void releaseClosed(Predicate<TransactionId> closed) {}
}
