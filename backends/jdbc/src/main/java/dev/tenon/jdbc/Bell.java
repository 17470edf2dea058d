package dev.tenon.jdbc;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import java.sql.SQLException;

/**
 * Tells waiters in other processes of their grants. A bell that is broken costs time, never a lock: waiters then ask
 * again when their timers say so. Thread-safe.
 */
interface Bell extends AutoCloseable {
    /** Begins to listen for this process, if that has not been done. Returns when it does, or has failed at first. */
    void start();

    /** Whether a grant for this process would be heard now. */
    boolean ready();

    /** Says that a request of this process begins to wait: there is nothing to listen for while none does. */
    void wanted();

    /**
     * Tells another process of a grant. Statements that hand a lock over by themselves also ring by themselves.
     *
     * @param channel of the process
     */
    void ring(Link link, String channel, Grant grant) throws SQLException;

    /**
     * Asks a holder in another process to let go, if that can be done at once; else its next renewal tells it.
     *
     * @param channel of the process
     */
    default void ask(Link link, String channel, Revocation revocation) throws SQLException {}

    /** A grant as text, for a bell that can carry one. */
    static String message(Grant grant) {
        return String.join(
                "\t",
                grant.name(),
                grant.requestId(),
                grant.sessionId(),
                Long.toString(grant.token()),
                Long.toString(LockRow.micros(grant.sinceQueued())),
                Long.toString(LockRow.micros(grant.lease())));
    }

    @Override
    void close();
}
