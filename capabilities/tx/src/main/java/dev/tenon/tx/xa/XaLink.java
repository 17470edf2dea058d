package dev.tenon.tx.xa;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;

/**
 * A connection to a database, with the side that the work is done on and the side that decides. Used by one thread at a
 * time.
 */
final class XaLink {
    private final XAConnection physical;
    private final XAResource resource;
    private Connection handle;
    private long usedNanos;

    XaLink(XAConnection physical) throws SQLException {
        this.physical = physical;
        this.resource = physical.getXAResource();
        this.handle = physical.getConnection();
    }

    XAResource resource() {
        return resource;
    }

    Connection handle() {
        return handle;
    }

    /** Fresh for its next user: handles that the last one may have kept are closed. */
    void renew() throws SQLException {
        handle = physical.getConnection();
    }

    long usedNanos() {
        return usedNanos;
    }

    void used(long nanos) {
        usedNanos = nanos;
    }

    /** Cuts the connection. Closing it would wait for the statement that is under way on it, if there is one. */
    void abort() {
        try {
            handle.abort(Runnable::run);
        } catch (SQLException e) {
            // Closing is what is left.
        }
    }

    /** The database rolls back what was not prepared. */
    void close() {
        try {
            physical.close();
        } catch (SQLException e) {
            // It was broken, which is why it is closed.
        }
    }
}
