package dev.tenon.tx;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Lets a participant's work through once, in the right order: repeated calls get the first answer back (idempotence),
 * what was never done is not undone (empty rollback), and what was undone before it was done is refused for good
 * (suspension). It is a row in the participant's own database, written first in the participant's own local
 * transaction, and so takes part in what becomes of that. A backend makes it. Thread-safe.
 */
public interface Barrier {
    /** The participant's own work, in its local transaction. */
    @FunctionalInterface
    interface Work {
        /**
         * Does it. {@link Reply.Done} with what is to be answered again if the call is repeated; anything else, or an
         * exception, and the local transaction has to be rolled back, which {@link #call} leaves to its caller.
         */
        Reply run(Connection connection) throws Exception;
    }

    /**
     * Does the work of a call, unless it was done, or undone, before. The caller begins the local transaction, and
     * after this commits it if the reply is {@link Reply.Done}, and rolls it back if it is anything else, or this
     * throws.
     *
     * @param connection with a transaction open (not in autocommit mode), of the database that has the participant's
     *     tables
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws Exception what {@code work} or the database throws: roll back; the call will be repeated
     */
    Reply call(Connection connection, BranchCall call, Work work) throws Exception;

    /**
     * Whether the work of a call was done and committed, for a check-back. Never flips: if it was not, it never will
     * be, as its row is written here, and the late local transaction is refused.
     *
     * @param call of the operation {@link Operation#CHECK}; {@code connection} as in {@link #call}, to be committed
     *     after
     * @param asked the operation that is asked about
     */
    boolean happened(Connection connection, BranchCall call, Operation asked) throws SQLException;
}
