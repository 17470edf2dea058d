package dev.tenon.tx.at;

import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One transaction with automatic undo. Closing it without {@link #commit} aborts it, if it was begun here; close it in
 * any case. One thread at a time.
 */
public final class AtTransaction implements AutoCloseable {
    private final AtTransactions owner;
    private final TransactionId gid;
    private final List<Connection> connections = new ArrayList<>();
    private Optional<TransactionRecord> read;
    private boolean decided;

    /** @param read as it was returned last, if it was */
    AtTransaction(AtTransactions owner, TransactionId gid, Optional<TransactionRecord> read) {
        this.owner = owner;
        this.gid = gid;
        this.read = read;
    }

    /** Its ID: what another process {@linkplain AtTransactions#join joins} it by. */
    public TransactionId gid() {
        return gid;
    }

    /**
     * A connection to one of the databases, as a new branch. Use plain SQL on it; {@link #commit} commits it, or you
     * do. It is closed with this transaction.
     *
     * @param resource the name of the database
     * @throws dev.tenon.tx.TransactionAbortedException if the transaction is not active any more
     * @throws IllegalArgumentException if no database has that name
     */
    public Connection connection(String resource) throws SQLException {
        AtResource database = owner.resource(resource);
        String branch = resource + "#" + owner.transactions().newId();
        read = Optional.of(owner.named(gid, read, branch, resource));
        Connection connection = database.connect(gid, branch, owner::isClosed);
        connections.add(connection);
        return connection;
    }

    /**
     * Commits every branch and then the transaction.
     *
     * @throws SQLException if a branch can't be committed: nothing will be; {@link #close} aborts
     * @throws dev.tenon.tx.TransactionAbortedException if it was aborted before, by its deadline or by a caller
     */
    public TransactionRecord commit() throws SQLException {
        commitBranches();
        TransactionRecord committed = read.isPresent()
                ? owner.transactions().commit(read.get())
                : owner.transactions().commit(gid);
        decided = true;
        return committed;
    }

    /**
     * Commits every branch, and leaves the decision to the process that has begun the transaction and waits for this:
     * for those that have joined.
     *
     * @throws SQLException if a branch can't be committed
     * @throws dev.tenon.tx.TransactionAbortedException if the transaction was decided without waiting: the branch is
     *     rolled back
     */
    public void leave() throws SQLException {
        commitBranches();
        decided = true;
    }

    private void commitBranches() throws SQLException {
        for (Connection connection : connections) {
            connection.commit(); // says so if it was closed with changes that are lost
        }
    }

    /** Aborts it, unless it was committed or left, and closes its connections. Idempotent. */
    @Override
    public void close() throws SQLException {
        SQLException failure = null;
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException e) {
                failure = e;
            }
        }
        connections.clear();
        if (!decided) {
            decided = true;
            owner.transactions().abort(gid, "initiator", "closed without a commit");
        }
        if (failure != null) {
            throw failure;
        }
    }
}
