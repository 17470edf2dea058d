package dev.tenon.tx.spi;

import dev.tenon.tx.Message;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The local message table: messages that are sent if, and only if, the local transaction that wrote them was committed.
 * The seam between {@link dev.tenon.tx.message.Outbox} and a backend.
 *
 * <p>What every implementation promises, and {@code OutboxStoreContract} checks:
 *
 * <ul>
 *   <li>A message can be claimed as soon as its transaction is committed, and never if that is rolled back. One whose
 *       number is smaller but whose transaction is committed later is not passed over.
 *   <li>{@link #claim} gives a message to one claimant, until its lease is over or it is settled.
 *   <li>Of the messages with one target and one key, one is claimed only together with, and after, all those with
 *       smaller numbers that are committed and neither sent nor discarded. One that waits, or is dead, keeps those
 *       behind it from being claimed, and no others.
 *   <li>{@link #settle} has an effect under the claim that the message was given out with, and none under an older one.
 *   <li>No call reads more than a small multiple of what it gives out, however many messages there are.
 * </ul>
 *
 * <p>Calls block. They fail with {@link dev.tenon.BackendUnavailableException} if nothing happened, and with {@link
 * dev.tenon.OutcomeUnknownException} if the answer was lost. Implementations are thread-safe.
 */
public interface OutboxStore {
    /** The most messages that are claimed, or enqueued, at a time. */
    int BATCH_MAX = 100;

    /**
     * Writes messages in the caller's transaction, in one round trip, and neither commits nor rolls it back.
     *
     * @param outbox whose messages they are; a name ({@link dev.tenon.Names})
     * @param messages 1 to {@value #BATCH_MAX}, in the order in which they are to be sent
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     */
    void insert(Connection connection, String outbox, List<Message> messages);

    /**
     * Writes a message in the caller's transaction and commits that, in one round trip where the database can. A
     * message without a key is the caller's then, as after its first {@link #claim}, if the caller wants it; one with a
     * key may stand behind others, which only a claim can tell, and is open to every claimant.
     *
     * @param lease for how long no other claimant may have it; zero: it is open to all at once
     * @return its number if it is the caller's, with claim 1 and attempt 1; empty if it is open to all
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws dev.tenon.BackendUnavailableException if nothing was committed: the caller is to roll back
     * @throws dev.tenon.OutcomeUnknownException if the connection broke, and it may have been committed
     */
    OptionalLong commit(Connection connection, String outbox, Message message, Duration lease);

    /**
     * Takes messages that are due, those that have waited longest first.
     *
     * @param lease for how long no other claimant may have them
     * @param limit how many at most, 1 to {@value #BATCH_MAX}
     * @return in the order of their numbers; it may be less than there are: ask again until it is empty
     */
    Claimed claim(String outbox, Duration lease, int limit);

    /**
     * What a claim has found.
     *
     * @param entries what is the claimant's now
     * @param more whether to claim again at once, as more may be due
     */
    record Claimed(List<OutboxEntry> entries, boolean more) {
        public Claimed {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Writes what became of messages that were claimed, all of it or nothing. What another process has claimed
     * meanwhile is left as it is.
     *
     * @param settlements 1 to {@value #BATCH_MAX}
     * @return whether messages that waited behind these are due now
     */
    boolean settle(String outbox, List<Settlement> settlements);

    /**
     * Dead letters, in the order of their numbers.
     *
     * @param after only those with greater numbers
     * @param limit how many at most, 1 to {@value #BATCH_MAX}
     */
    List<OutboxEntry> dead(String outbox, long after, int limit);

    /**
     * What is stuck: messages that fail again and again, be it that a process dies over them, with all that they hold
     * back; and dead letters that hold back their key. Of each key the first message alone; those that began to fail
     * first come first.
     *
     * @param attempts so many without success are too many
     * @param age so long after its first failure a message is stuck, however often it was tried
     * @param after the last one of the page before; empty for the first page
     * @param limit how many at most, 1 to {@value #BATCH_MAX}; of those that began to fail within {@code age} it reads
     *     the first thousand
     */
    List<StuckLane> stuck(String outbox, int attempts, Duration age, Optional<StuckLane> after, int limit);

    /** The message of that number, sent or not, with its history; empty if there is none, any more. */
    Optional<OutboxEntry> find(String outbox, long number);

    /**
     * Makes a dead letter due again, with all its attempts.
     *
     * @param by name of the operator, for the history
     * @return false if there is no dead letter of that number
     */
    boolean replay(String outbox, long number, String by);

    /**
     * Gives a dead letter up: those behind it go on without it. It is kept until it is purged.
     *
     * @return false if there is no dead letter of that number
     */
    boolean discard(String outbox, long number, String by);

    /** For how long the message that has waited longest has been due; empty if none is. */
    Optional<Duration> lag(String outbox);

    /**
     * Deletes messages that were sent or discarded.
     *
     * @param age those for which that was longer ago
     * @param limit how many at most, 1 to 1000
     * @return how many
     */
    int purge(String outbox, Duration age, int limit);

    /** What operators ask of it, and do to dead letters. */
    OutboxOperations operations();
}
