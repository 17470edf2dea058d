package dev.tenon.lock.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A place where locks live: the seam between the lock capability and a backend. Everything that needs no store
 * (blocking, thread ownership, reentrancy, renewal) is above it.
 *
 * <p>What every implementation promises, and {@code LockStoreContract} checks:
 *
 * <ul>
 *   <li>The behaviour of one name is that of {@link LockMachine}, with the store's clock as its time.
 *   <li>Every call can be repeated after a lost reply, without a second effect: an acquire is known by its request ID,
 *       releases and renewals by their token.
 *   <li>Tokens of one name increase by {@link LockMachine#TOKEN_STRIDE} or more, through release, expiry, eviction and
 *       restart: those between are for the threads of the holder, and no store ever grants one of them.
 *   <li>Only durations cross the wire; the store's clock alone decides that a lease or a wait is over.
 *   <li>A release hands the lock to the head of the queue inside the store, in the same step, and only the process of
 *       that waiter is told ({@link StoreEvents#granted}).
 *   <li>{@code acquire} and {@code release} of one lock take one round trip each.
 * </ul>
 *
 * <p>A stage fails with {@link dev.tenon.BackendUnavailableException} when nothing happened in the store, with {@link
 * dev.tenon.OutcomeUnknownException} when the reply was lost, and with {@link IllegalArgumentException} for a request
 * that can never succeed. Stages may complete on a thread of the store's driver: their dependants must not block.
 * Implementations are thread-safe.
 */
public interface LockStore extends AutoCloseable {
    /** What this store can do, and how its tokens come about. */
    StoreTraits traits();

    /**
     * Opens a session: the presence of one client in the store, and the address to which its grants are pushed.
     * Repeating the call with the same {@link SessionSpec#id()} returns the session as it is and redirects its events
     * to the new receiver.
     */
    CompletionStage<Session> open(SessionSpec spec, StoreEvents events);

    /**
     * Keeps a session alive for another TTL, counted by the store. False: there is no such session (any more). A store
     * without sessions of its own ({@link StoreTraits#sessionsExpire()}) answers true for each session that it opened.
     */
    CompletionStage<Boolean> keepAlive(String sessionId);

    /** Ends a session: releases what it holds and cancels what it waits for. An unknown session is no error. */
    CompletionStage<Void> closeSession(String sessionId);

    /** Takes a lock, or a place in its queue if {@link Acquire#mayWait()}. One round trip. */
    CompletionStage<Outcome> acquire(Acquire request);

    /** Gives locks back; the answers are in the order of the requests. */
    CompletionStage<List<Released>> release(List<Release> releases);

    /** Extends leases in one call; the answers are in the order of the requests. */
    CompletionStage<List<Renewed>> renew(List<Renew> renewals);

    /** Gives up waiting. */
    CompletionStage<Cancelled> cancel(Cancel request);

    /** One lock as the store sees it now; empty if it is neither held nor waited for, nor shut by a lock-delay. */
    CompletionStage<Optional<LockView>> inspect(String name);

    /**
     * Locks that are held or waited for and whose name starts with {@code prefix}, in ascending order of their names
     * (by UTF-8 bytes).
     *
     * @param after only names greater than this one; empty for the first page
     * @param limit greatest number of locks in the page, 1 to 1000
     */
    CompletionStage<LockPage> list(String prefix, String after, int limit);

    /**
     * Takes a lock away from its holder, whoever that is. Nothing happens unless the lock is held under {@code
     * expectedToken}, or that is one of those that came with the holder's.
     *
     * @param reason for the audit log of the store, where it has one
     * @return the new floor: every later token of this name is greater, and the evicted one is smaller; empty if the
     *     lock is not held under {@code expectedToken}
     */
    CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason);

    /**
     * Asks all who hold a lock to let go ({@link StoreEvents#revokeAsked}). Nobody is made to.
     *
     * @param by who asks, for those who are asked
     * @return how many hold it
     */
    CompletionStage<Integer> revoke(String name, String by);

    /** Ends every session that was opened here and gives up what this store owns. Idempotent. */
    @Override
    void close();
}
