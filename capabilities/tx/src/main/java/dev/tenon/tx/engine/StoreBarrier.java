package dev.tenon.tx.engine;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/** A barrier over the rows of a {@link BarrierStore}. Thread-safe. */
public final class StoreBarrier implements Barrier {
    private static final String UNDONE_BEFORE = "aborted: it was undone before it was done";

    private final BarrierStore store;

    /** A barrier over the rows of {@code store}. */
    public StoreBarrier(BarrierStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    @Override
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

    @Override
    public boolean happened(Connection connection, BranchCall call, Operation asked) throws SQLException {
        Optional<BarrierStore.Row> row = store.insert(connection, call, asked);
        return row.isPresent() && row.get().writtenBy() == asked;
    }
}
