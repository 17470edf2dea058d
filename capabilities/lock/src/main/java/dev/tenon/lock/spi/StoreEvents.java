package dev.tenon.lock.spi;

/** What a store tells a session without being asked. Called on the store's threads: an implementation must not block. */
public interface StoreEvents {
    /** A waiter of this session was given its lock. May be repeated for one grant. */
    void granted(Grant grant);

    /**
     * Somebody asks a holder of this session to let go. Where the store can't tell at once, the answer to the next
     * renewal does ({@link Renewed.Extended#revokedBy}). May be repeated.
     */
    void revokeAsked(Revocation revocation);

    /** The store has ended the session: all that it held is lost, all that it waited for is cancelled. */
    void sessionLost(String sessionId);

    /** Pushes may have been lost (a connection was cut and restored): ask again for everything that is waited for. */
    void resync();
}
