package dev.tenon.tx.message;

import dev.tenon.tx.Message;
import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxStore;
import dev.tenon.tx.spi.OutboxSummary;
import dev.tenon.tx.spi.StuckLane;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Sends messages if, and only if, the local transaction that wrote them is committed (the <i>local message table</i>,
 * or transactional outbox).
 *
 * <ul>
 *   <li><b>Committed:</b> the message is sent at least once, whatever dies. <b>Rolled back:</b> never.
 *   <li><b>Once:</b> a message may come twice (its sender died between sending and noting so); the consumer's {@link
 *       Inbox} lets its effect through once.
 *   <li><b>Order:</b> messages with one target and one key are sent one after the other, each after the one before has
 *       been acknowledged. If transaction B writes its message after transaction A of the same key was committed, A's
 *       message goes first. So transactions that change the same row first, and then enqueue under its key, are sent in
 *       the order of their commits. Transactions that don't wait for each other are sent in the order in which they
 *       become visible, or in that of their writes if both are visible: none is lost, or passed over.
 *   <li><b>Failure:</b> a message that can't be sent is tried again with growing pauses, and becomes a dead letter in
 *       the end. It holds back those behind it with the same target and key, and no others, until it is sent, replayed
 *       or discarded.
 *   <li><b>Cost:</b> before the commit, the insert: one round trip; with {@link #commit} none, as the two go together.
 *       No connection is held while a message is sent.
 * </ul>
 *
 * <p>Thread-safe; calls block, but {@link #dispatch} does not.
 */
public final class Outbox implements AutoCloseable {
    private static final int PURGE_BATCH = 1000;

    private final OutboxStore store;
    private final OutboxOptions options;
    private final Relay relay;

    private Outbox(OutboxStore store, MessageSink sink, OutboxOptions options) {
        this.store = Objects.requireNonNull(store, "store");
        this.options = Objects.requireNonNull(options, "options");
        this.relay = new Relay(store, Objects.requireNonNull(sink, "sink"), options);
    }

    /**
     * An outbox over the table of a database. Nothing is sent by itself until {@link #start}: a process that only
     * writes messages, which others send, does without.
     */
    public static Outbox over(OutboxStore store, MessageSink sink, OutboxOptions options) {
        return new Outbox(store, sink, options);
    }

    /** Sends what is due, after each {@link #dispatch} and every {@link OutboxOptions#pollEvery}. Returns this. */
    public Outbox start() {
        relay.start();
        return this;
    }

    /**
     * Writes a message in the caller's transaction. After the commit call {@link #dispatch}, or let the next poll find
     * it.
     *
     * @param connection with a transaction open, of the database that has the business tables and the outbox
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws dev.tenon.BackendUnavailableException if this transaction can't go on: roll back and run it again
     */
    public void enqueue(Connection connection, Message message) {
        store.insert(connection, options.name(), List.of(message));
    }

    /**
     * As {@link #enqueue(Connection, Message)}, many at once.
     *
     * @param messages 1 to {@value OutboxStore#BATCH_MAX}
     */
    public void enqueue(Connection connection, List<Message> messages) {
        store.insert(connection, options.name(), messages);
    }

    /**
     * Writes a message, commits the caller's transaction, and sends the message: {@link #enqueue}, {@link
     * Connection#commit} and {@link #dispatch} in one step, which takes no round trip more than the commit alone where
     * the database can (MariaDB, PostgreSQL). After {@link #start}, a message without a key is written as claimed by
     * this process already, and so goes to the sink as soon as this returns, with nothing to be read or written before.
     * If this process dies in between, another one sends it when {@link OutboxOptions#claim} is over.
     *
     * @param connection with a transaction open, of the database that has the business tables and the outbox.
     *     Afterwards it is as it is after its own {@code commit}
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws dev.tenon.BackendUnavailableException if nothing was committed: roll back and run it again
     * @throws dev.tenon.OutcomeUnknownException if the connection broke, and it may have been committed, with the
     *     message: look for the business rows
     */
    public void commit(Connection connection, Message message) {
        relay.commit(connection, message);
    }

    /**
     * Says that a message was committed, so that it is sent now and not at the next poll. Only a hint: cheap, never
     * fails, and may come too early or not at all. Before {@link #start} it does nothing.
     */
    public void dispatch() {
        relay.hint();
    }

    /**
     * One pass: claims what is due, up to {@link OutboxOptions#batch}, sends it, and writes down what became of it.
     *
     * @return how many messages it claimed; 0 if there was nothing to do
     */
    public int runOnce() {
        return relay.runOnce();
    }

    /** As {@link OutboxStore#dead}. */
    public List<OutboxEntry> deadLetters(long after, int limit) {
        return store.dead(options.name(), after, limit);
    }

    /**
     * What is stuck now: messages that have failed {@link OutboxOptions#stuckAttempts} times, or for {@link
     * OutboxOptions#stuckAfter}, and dead letters with a key, each with what it holds back; those that began to fail
     * first come first. Empty if all is well: what to alert on, beside {@link #lag}.
     *
     * @param limit how many at most, 1 to {@value OutboxStore#BATCH_MAX}
     */
    public List<StuckLane> stuck(int limit) {
        return store.stuck(options.name(), options.stuckAttempts(), options.stuckAfter(), Optional.empty(), limit);
    }

    /** The next page of {@link #stuck(int)}, behind the last one of the page before. */
    public List<StuckLane> stuck(StuckLane after, int limit) {
        return store.stuck(options.name(), options.stuckAttempts(), options.stuckAfter(), Optional.of(after), limit);
    }

    /** As {@link OutboxStore#find}. */
    public Optional<OutboxEntry> find(long number) {
        return store.find(options.name(), number);
    }

    /**
     * Sends a dead letter again, after the cause was fixed.
     *
     * @param by name of the operator, for the history
     * @return false if there is no dead letter of that number
     */
    public boolean replay(long number, String by) {
        boolean replayed = store.replay(options.name(), number, by);
        relay.hint();
        return replayed;
    }

    /**
     * Gives a dead letter up, so that those behind it go on without it.
     *
     * @return false if there is no dead letter of that number
     */
    public boolean discard(long number, String by) {
        boolean discarded = store.discard(options.name(), number, by);
        relay.hint();
        return discarded;
    }

    /**
     * Sends a dead letter again, after the cause was fixed.
     *
     * @param by name of the operator, for the history
     * @param why the reason, for the history
     * @return false if there is no dead letter of that number
     */
    public boolean replay(long number, String by, String why) {
        boolean replayed = operations().replay(options.name(), number, by, why);
        relay.hint();
        return replayed;
    }

    /**
     * Gives a dead letter up, so that those behind it go on without it.
     *
     * @param by name of the operator, for the history
     * @param why the reason, for the history
     * @return false if there is no dead letter of that number
     */
    public boolean discard(long number, String by, String why) {
        boolean discarded = operations().discard(options.name(), number, by, why);
        relay.hint();
        return discarded;
    }

    /**
     * Sends the first dead letters again that a filter means; repeat it from {@link OutboxOperations.Acted#last} while
     * there are more.
     *
     * @param after only those with greater numbers
     * @param by name of the operator, for their histories
     * @param why the reason, for their histories
     */
    public OutboxOperations.Acted replayAll(DeadLetterFilter filter, long after, String by, String why) {
        OutboxOperations.Acted acted = operations().replayAll(choice(filter, after), by, why);
        relay.hint();
        return acted;
    }

    /**
     * Gives the first dead letters up that a filter means; repeat it from {@link OutboxOperations.Acted#last} while
     * there are more.
     *
     * @param after only those with greater numbers
     * @param by name of the operator, for their histories
     * @param why the reason, for their histories
     */
    public OutboxOperations.Acted discardAll(DeadLetterFilter filter, long after, String by, String why) {
        OutboxOperations.Acted acted = operations().discardAll(choice(filter, after), by, why);
        relay.hint();
        return acted;
    }

    private OutboxOperations.Choice choice(DeadLetterFilter filter, long after) {
        return new OutboxOperations.Choice(options.name(), filter, after, OutboxOperations.PAGE_MAX);
    }

    /** How it is: what waits, for how long, and how many dead letters there are. */
    public OutboxSummary summary() {
        return operations().summary(options.name());
    }

    /** As {@link OutboxOperations#lanes}: what waits for longest, and why. */
    public List<OutboxLane> lanes(int limit) {
        return operations().lanes(options.name(), limit);
    }

    /** The message that keeps back the others with this target and key; empty if none of them is to be sent. */
    public Optional<OutboxMessage> blocking(String target, String key) {
        return operations().lane(options.name(), target, key).map(OutboxLane::first);
    }

    /** Its name: {@link OutboxOptions#name}. */
    public String name() {
        return options.name();
    }

    /** What operators ask and do, of every outbox in the database. */
    public OutboxOperations operations() {
        return store.operations();
    }

    /** For how long the message that has waited longest has been due: what to alert on. */
    public Optional<Duration> lag() {
        return store.lag(options.name());
    }

    /**
     * Deletes what was sent, or discarded, longer ago than {@link OutboxOptions#retention}; runs by itself every minute
     * after {@link #start}. Returns how many.
     */
    public int purge() {
        int sum = 0;
        int purged;
        do {
            purged = store.purge(options.name(), options.retention(), PURGE_BATCH);
            sum += purged;
        } while (purged == PURGE_BATCH);
        return sum;
    }

    /**
     * Begins no more sends. What is under way may still arrive; what was not noted is sent again by another process
     * after {@link OutboxOptions#claim}. Idempotent.
     */
    @Override
    public void close() {
        relay.close();
    }
}
