package dev.tenon.lock.spi;

/**
 * A session that is over: what it held is free, what it waited for is cancelled.
 *
 * @param sessionId whose
 * @param closed whether somebody closed it, from whichever process; else its time ran out
 */
public record SessionEnd(String sessionId, boolean closed) {
    /** Tells it to whoever hears the session's events. */
    public void tell(StoreEvents receiver) {
        if (closed) {
            receiver.sessionClosed(sessionId);
        } else {
            receiver.sessionLost(sessionId);
        }
    }
}
