package dev.tenon.tx.at;

import dev.tenon.tx.Participant;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.sql.SQLException;

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
}
