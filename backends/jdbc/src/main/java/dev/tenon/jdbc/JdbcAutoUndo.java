package dev.tenon.jdbc;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.at.AtResource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Automatic undo in one database: the inverse of what a branch changes is in {@code tenon_undo} with the branch's own
 * commit, and {@code tenon_row_lock} keeps other such transactions off its rows until the end. What can't be undone, as
 * somebody else has changed a row, is left as it is, and the transaction suspended with the difference. Thread-safe.
 */
final class JdbcAutoUndo implements AtResource {
    private final DataSource source;
    private final Barrier barrier;
    private final UndoLog log;

    JdbcAutoUndo(DataSource source, Barrier barrier, UndoLog log) {
        this.source = source;
        this.barrier = barrier;
        this.log = log;
    }

    @Override
    public Connection connect(TransactionId gid, String branch) throws SQLException {
        return connect(gid, branch, other -> false);
    }

    @Override
    public Connection connect(TransactionId gid, String branch, Predicate<TransactionId> closed) throws SQLException {
        BranchCall call = new BranchCall(gid, branch, Operation.TRY, "", "", Map.of(), 1);
        Connection raw = source.getConnection();
        try {
            return UndoConnection.wrap(raw, log, barrier, call, closed);
        } catch (SQLException | RuntimeException e) {
            raw.close();
            throw e;
        }
    }

    @Override
    public Participant participant() {
        return this::endBranch;
    }

    private Reply endBranch(BranchCall call) throws Exception {
        try (Connection connection = source.getConnection()) {
            boolean auto = connection.getAutoCommit();
            connection.setAutoCommit(false);
            lockNoGaps(connection);
            boolean committed = false;
            try {
                Reply reply = barrier.call(
                        connection, call, c -> call.operation() == Operation.CONFIRM ? forget(c, call) : undo(c, call));
                if (reply instanceof Reply.Done) {
                    connection.commit();
                    committed = true;
                }
                return reply;
            } finally {
                if (!committed) {
                    connection.rollback();
                }
                connection.setAutoCommit(auto);
            }
        }
    }

    /** Or what is forgotten would have other transactions wait whose rows come next to it. */
    private void lockNoGaps(Connection connection) throws SQLException {
        Sql isolation = log.dialect().isolation();
        if (isolation != null) {
            try (Statement set = connection.createStatement()) {
                set.execute(isolation.text());
            }
        }
    }

    private Reply forget(Connection connection, BranchCall call) throws SQLException {
        // A branch that comes to commit after this is refused: nobody would forget its undo and free its rows any more.
        barrier.happened(connection, call, Operation.TRY);
        log.forget(connection, call);
        return Reply.done();
    }

    private Reply undo(Connection connection, BranchCall call) throws SQLException {
        constraints(connection, "DEFERRED");
        for (UndoImage image : log.load(connection, call)) {
            List<String> differences = image.undo(connection);
            if (!differences.isEmpty()) {
                return Reply.refused("not undone, as somebody else has changed what this transaction wrote: "
                        + String.join("; ", differences) + ". Set the rows as this transaction left them, and retry");
            }
        }
        try {
            constraints(connection, "IMMEDIATE");
        } catch (SQLException e) {
            if (!UndoRestore.isConstraint(e)) {
                throw e;
            }
            return Reply.refused("not undone, as a constraint would be violated: " + e.getMessage());
        }
        log.forget(connection, call);
        return Reply.done();
    }

    /** Lets constraints that may wait be looked at when all rows are back. */
    private void constraints(Connection connection, String when) throws SQLException {
        if (log.dialect().readsOnlyInSavepoints()) {
            try (Statement set = connection.createStatement()) {
                set.execute("SET CONSTRAINTS ALL " + when);
            }
        }
    }
}
