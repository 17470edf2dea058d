package dev.tenon.lock.spi;

/**
 * What a store tells a session without being asked. Called on the store's threads: an implementation must not block.
 */
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

    /**
     * Somebody has closed the session ({@link LockStore#closeSession}), here or through another process: all that it
     * held is free, all that it waited for is cancelled. Told by stores that keep sessions
     * ({@link StoreTraits#sessionsExpire()}), also to the one who closed it, before or after the answer to that call.
     * Unless it is told apart, as {@link #sessionLost}.
     */
    default void sessionClosed(String sessionId) {
        sessionLost(sessionId);
    }

    /** Pushes may have been lost (a connection was cut and restored): ask again for everything that is waited for. */
    void resync();
}
