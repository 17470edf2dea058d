package dev.tenon.tx;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Transactions over one log: begins them, drives them to their end, takes over those whose process has died, and
 * answers how each ended. Every mode is a thin layer on this; {@code dev.tenon.tx.engine.TransactionEngine.over} makes
 * one over a store. Thread-safe; calls block.
 */
public interface Transactions extends AutoCloseable {
    /** Polls for work by itself from now on, every {@link TransactionOptions#pollEvery}. Returns this. */
    Transactions start();

    /**
     * Lets {@link #purge} delete ended transactions of every service: for a process that keeps the log for all. Returns
     * this.
     */
    Transactions forgetEveryService();

    /** How this works. */
    TransactionOptions options();

    /**
     * Looks for open transactions of this service that name a participant which this process does not know: after a
     * step was renamed, or a version was removed too early. Call it before {@link #start}. Reads at most 10 000 open
     * transactions in each state.
     *
     * @throws UnknownParticipantException if there is one: its calls would wait until a process registers that
     *     participant
     */
    Transactions requireParticipants();

    /**
     * Reports each transaction that this object sees end or be suspended, for callers that wait without a thread of
     * their own; transactions that another process drives are not reported. Listeners add up: earlier ones stay.
     * Returns this.
     *
     * @param listener called in threads of this object: it must neither block nor throw
     */
    Transactions tell(Consumer<TransactionRecord> listener);

    /** A fresh ID: a UUID of version 7, so that IDs go up with time. */
    TransactionId newId();

    /**
     * Begins a transaction and drives it in threads of this object; {@link #await} waits for its end. Idempotent: with
     * the ID and the content of one that has begun, nothing happens.
     *
     * @return the transaction as it is now
     * @throws TransactionConflictException if another transaction has that ID
     * @throws dev.tenon.OutcomeUnknownException if it is not known whether it has begun: call again with the same draft
     */
    TransactionRecord begin(TransactionDraft draft);

    /**
     * As {@link #begin(TransactionDraft)}, as part of a local transaction: it begins if that is committed. It is then
     * driven by {@link #hurry}, or else by the next poll, after at most {@link TransactionOptions#pollEvery}.
     *
     * @param connection with a transaction open, of the database that has the log
     * @throws IllegalStateException if the log is not in a database that local transactions take part in
     */
    TransactionRecord begin(Connection connection, TransactionDraft draft);

    /**
     * Begins a transaction whose first phase is the caller's: recovery leaves it alone until its deadline. The caller
     * decides with {@link #commit} or {@link #abort}.
     *
     * @throws TransactionConflictException if another transaction has that ID
     */
    TransactionRecord open(TransactionDraft draft);

    /**
     * As {@link #open(TransactionDraft)}, as part of a local transaction: it exists if that is committed.
     *
     * @param connection with a transaction open, of the database that has the log
     */
    TransactionRecord open(Connection connection, TransactionDraft draft);

    /**
     * Drives a transaction that a local transaction has begun or decided, now that it is committed, without waiting for
     * the next poll. If there is none of that ID, or another process drives it, nothing happens.
     */
    void hurry(TransactionId gid);

    /**
     * As {@link #hurry(TransactionId)}, without reading the transaction again: {@code read} is how it was returned
     * last.
     */
    void hurry(TransactionRecord read);

    /**
     * Decides that a transaction is committed, and drives it on. Of this, {@link #abort} and the deadline exactly one
     * wins.
     *
     * @return the transaction as it is now: committing or committed
     * @throws TransactionAbortedException if it was aborted
     * @throws TransactionConflictException if it can't be committed at this moment, such as before all of its branches
     *     tried
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord commit(TransactionId gid);

    /**
     * As {@link #commit(TransactionId)}, without reading the transaction again unless it has changed.
     *
     * @param read as it was returned last
     */
    TransactionRecord commit(TransactionRecord read);

    /**
     * As {@link #commit(TransactionId)}, as part of a local transaction: it is decided if that is committed.
     *
     * @param connection with a transaction open, of the database that has the log
     * @param read the transaction as it was returned last: no statement is spent on reading it again
     * @throws TransactionAbortedException if it was aborted, or changed by another process: roll back
     */
    TransactionRecord commit(Connection connection, TransactionRecord read);

    /**
     * Decides that a transaction is aborted, and drives it on.
     *
     * @param by name of the caller, for the history
     * @param reason why
     * @return the transaction as it is now: aborting or aborted
     * @throws TransactionConflictException if it was committed, or can't be aborted at this moment
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord abort(TransactionId gid, String by, String reason);

    /**
     * Resumes a transaction after the cause of its failures was fixed: a stuck branch, or one that waits for its next
     * retry, is called at once. One that has ended stays as it is.
     *
     * @param by name of the caller, for the history
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord retry(TransactionId gid, String by);

    /**
     * Stops all driving of a transaction until {@link #resume}. Changes no decision; calls that are under way are not
     * called back. One that has ended stays as it is.
     *
     * @param by name of the caller, for the history
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord suspend(TransactionId gid, String by, String reason);

    /**
     * Lets a suspended transaction be driven again.
     *
     * @param by name of the caller, for the history
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord resume(TransactionId gid, String by);

    /**
     * Gives a transaction up as it is, for good: no participant is called for it any more, and its branches stay as
     * they are. For one whose commit or abort can never succeed, after an operator has handled what it leaves. Its row
     * locks of automatic undo are freed when another transaction needs those rows; the barrier keeps refusing late
     * calls for as long as it keeps its rows. One that is closed stays as it is.
     *
     * @param by name of the caller, for the history
     * @param why what was done about it; not blank
     * @throws IllegalArgumentException if {@code why} is blank
     * @throws TransactionConflictException if it has ended, or is neither decided nor suspended: its initiator may
     *     still go on
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord closeAsIs(TransactionId gid, String by, String why);

    /**
     * Changes a transaction that is open ({@link #open}), such as by adding a branch before it is tried.
     *
     * @param change may be called more than once
     * @return as it is now; as it was if {@code change} changes nothing
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord change(TransactionId gid, UnaryOperator<TransactionRecord> change);

    /**
     * As {@link #change(TransactionId, UnaryOperator)}, without reading the transaction again unless it has changed.
     *
     * @param read as it was returned last
     */
    TransactionRecord change(TransactionRecord read, UnaryOperator<TransactionRecord> change);

    /** The transaction of that ID. */
    Optional<TransactionRecord> find(TransactionId gid);

    /** How a transaction ended, or why that is not known yet. */
    TransactionOutcome outcome(TransactionId gid);

    /** What operators did with a transaction, and what kept it from going on; oldest first. */
    List<TransactionEvent> history(TransactionId gid);

    /**
     * Transactions of the log, newest first.
     *
     * @param after {@link TransactionPage#next} of the page before; empty for the first page
     * @param limit the most of them, 1 to 1000
     */
    TransactionPage list(TransactionFilter filter, String after, int limit);

    /**
     * Waits for the end of a transaction, whichever process drives it.
     *
     * @param patience how long
     * @return the transaction as it is then: final, suspended, or, after a timeout, still on its way
     * @throws UnknownTransactionException if there is none
     */
    TransactionRecord await(TransactionId gid, Duration patience) throws InterruptedException;

    /**
     * One pass of recovery: claims what is due, drives it, and waits until it rests.
     *
     * @return how many transactions were driven
     */
    int runOnce();

    /**
     * Deletes transactions of this service that ended longer ago than {@link TransactionOptions#retention}; returns how
     * many.
     */
    int purge();

    /** Stops driving. What is under way is taken over by another process when its claim expires. Idempotent. */
    @Override
    void close();
}
