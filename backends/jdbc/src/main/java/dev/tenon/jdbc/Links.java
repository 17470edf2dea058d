package dev.tenon.jdbc;

import java.sql.SQLException;

/** Where links come from. Thread-safe. */
interface Links extends AutoCloseable {
    /**
     * A link for this thread alone, until {@link #giveBack}.
     *
     * @param fresh whether it must be a new one, as the resting ones are under suspicion
     * @throws SQLException if the database could not be reached
     */
    Link borrow(boolean fresh) throws SQLException;

    /** Takes a link back. A broken one is closed. */
    void giveBack(Link link, boolean broken);

    /** A link beside the others, which its borrower closes itself. */
    Link dedicated() throws SQLException;

    /** Closes the links that have rested for long. */
    void runOnce();

    @Override
    void close();
}
