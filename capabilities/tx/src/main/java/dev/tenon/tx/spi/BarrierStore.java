package dev.tenon.tx.spi;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The rows of a participant's barrier, in the participant's own database and in its own local transaction: one for each
 * (gid, branch, operation) that was let through, with the operation that wrote it and its result. {@code
 * BarrierStoreContract} checks it. Thread-safe; a connection is used by one thread.
 */
public interface BarrierStore {
    /**
     * A row.
     *
     * @param operation the operation that it stands for
     * @param writtenBy the operation that wrote it: the undoing one, if it came first
     * @param result what came of it
     */
    record Row(Operation operation, Operation writtenBy, String result) {
        public Row {
            Objects.requireNonNull(operation, "operation");
            Objects.requireNonNull(writtenBy, "writtenBy");
            Objects.requireNonNull(result, "result");
        }
    }

    /**
     * Writes the row of {@code operation}, unless it is there; then says what is. Inserts first: of two transactions
     * that come at once, the second waits here until the first has ended, without a deadlock.
     *
     * @param operation that of {@code call}, or the one that it undoes
     * @return the row that was there before; empty if it was written now
     */
    Optional<Row> insert(Connection connection, BranchCall call, Operation operation) throws SQLException;

    /**
     * As {@link #insert(Connection, BranchCall, Operation)}, with a timeout: not every database has a limit
     * of its own for how long one transaction waits for another.
     *
     * @param patience how long to wait for a transaction that writes the same row, in whole seconds; one or more
     * @throws SQLException also when that is over; the transaction is not to be gone on with then
     */
    Optional<Row> insert(Connection connection, BranchCall call, Operation operation, Duration patience)
            throws SQLException;

    /** Writes what came of the call into its row. */
    void result(Connection connection, BranchCall call, String result) throws SQLException;

    /**
     * Forgets rows, on a connection of its own.
     *
     * @param age those that were written longer ago; it must be more than the deadline of any transaction, the time for
     *     which it is tried again, and the longest delay of the transport together
     * @param limit how many at most
     * @return how many
     */
    int purge(Duration age, int limit);
}
