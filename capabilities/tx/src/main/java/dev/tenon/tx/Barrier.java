package dev.tenon.tx;

import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/**
 * Lets a participant's work through once, in the right order: repeated calls get the first answer back (idempotence), what
 * was never done is not undone (empty rollback), and what was undone before it was done is refused for good (suspension).
 * It is a row in the participant's own database, written first in the participant's own local transaction, and so takes part
 * in what becomes of that. Thread-safe.
 */
public final class Barrier {
    private static final String UNDONE_BEFORE = "aborted: it was undone before it was done";

    private final BarrierStore store;

    /** A barrier over the rows of {@code store}. */
    public Barrier(BarrierStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /** The participant's own work, in its local transaction. */
    @FunctionalInterface
    public interface Work {
        /**
         * Does it. {@link Reply.Done} with what is to be answered again if the call is repeated; anything else, or an
         * exception, and the local transaction has to be rolled back, which {@link #call} leaves to its caller.
         */
        Reply run(Connection connection) throws Exception;
    }

    /**
     * Does the work of a call, unless it was done, or undone, before. The caller begins the local transaction, and after
     * this commits it if the reply is {@link Reply.Done}, and rolls it back if it is anything else, or this throws.
     *
     * @param connection with a transaction open (not in autocommit mode), of the database that has the participant's tables
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws Exception what {@code work} or the database throws: roll back; the call will be repeated
     */
    public Reply call(Connection connection, BranchCall call, Work work) throws Exception {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("The barrier is part of the participant's local transaction:"
                    + " setAutoCommit(false), and commit when the reply is Done");
        }
        Operation operation = call.operation();
        if (operation.undoes()) {
            return undo(connection, call, work);
        }
        Optional<BarrierStore.Row> row = store.insert(connection, call, operation);
        if (row.isPresent()) {
            boolean own = row.get().writtenBy() == operation;
            return own ? Reply.done(row.get().result()) : Reply.refused(UNDONE_BEFORE);
        }
        return run(connection, call, work);
    }

    private Reply undo(Connection connection, BranchCall call, Work work) throws Exception {
        // The row of what is undone first: a late try waits here, or finds it and is refused.
        Optional<BarrierStore.Row> done =
                store.insert(connection, call, call.operation().undone());
        boolean nothingToUndo = done.isEmpty() || done.get().writtenBy() == call.operation();
        if (nothingToUndo) {
            return Reply.done();
        }
        Optional<BarrierStore.Row> row = store.insert(connection, call, call.operation());
        return row.isPresent() ? Reply.done(row.get().result()) : run(connection, call, work);
    }

    private Reply run(Connection connection, BranchCall call, Work work) throws SQLException, Exception {
        Reply reply = work.run(connection);
        if (reply instanceof Reply.Done done && !done.result().isEmpty()) {
            store.result(connection, call, done.result());
        }
        return reply;
    }

    /**
     * Whether the work of a call was done and committed, for a check-back. Never flips: if it was not, it never will be, as
     * its row is written here, and the late local transaction is refused.
     *
     * @param call of the operation {@link Operation#CHECK}; {@code connection} as in {@link #call}, to be committed after
     * @param asked the operation that is asked about
     */
    public boolean happened(Connection connection, BranchCall call, Operation asked) throws SQLException {
        Optional<BarrierStore.Row> row = store.insert(connection, call, asked);
        return row.isPresent() && row.get().writtenBy() == asked;
    }
}
