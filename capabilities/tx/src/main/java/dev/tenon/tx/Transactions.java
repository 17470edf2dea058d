package dev.tenon.tx;

import dev.tenon.id.standard.EpochUuidGenerator;
import dev.tenon.id.standard.UuidGenerator;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.LocalTransactionStore;
import dev.tenon.tx.spi.TransactionDraft;
import dev.tenon.tx.spi.TransactionEvent;
import dev.tenon.tx.spi.TransactionFilter;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionPage;
import dev.tenon.tx.spi.TransactionRecord;
import dev.tenon.tx.spi.TransactionStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Transactions over one log: begins them, drives them to their end, takes over those whose process has died, and tells what
 * became of each. Every mode is a thin layer on this. Thread-safe; calls block.
 */
public final class Transactions implements AutoCloseable {

    private final TransactionStore store;
    private final TransactionOptions options;
    private final Participants participants;
    private final Rules rules;
    private final UuidGenerator ids = EpochUuidGenerator.create();
    private final Drives drives;

    Transactions(TransactionStore store, Participants participants, TransactionOptions options) {
        this.store = Objects.requireNonNull(store, "store");
        this.options = Objects.requireNonNull(options, "options");
        this.participants = new WarnedParticipants(participants, options.service());
        this.rules = Rules.ofAllModes("tenon-" + ids.nextUuid());
        this.drives = new Drives(store, this.participants, rules, options);
    }

    /**
     * Transactions over a log. Nothing runs by itself until {@link #start}.
     *
     * @param participants who is called; asked anew for each call
     * @throws IllegalArgumentException if {@code options} name no service
     */
    public static Transactions over(TransactionStore store, Participants participants, TransactionOptions options) {
        return new Transactions(store, participants, options.requireService());
    }

    /** Lets recovery run by itself, every {@link TransactionOptions#pollEvery}. Returns this. */
    public Transactions start() {
        drives.start();
        return this;
    }

    /** Lets {@link #purge} forget what ended of every service: for a process that keeps the log for all. Returns this. */
    public Transactions forgetEveryService() {
        drives.forgetEveryService();
        return this;
    }

    /** How this works. */
    public TransactionOptions options() {
        return options;
    }

    /**
     * Looks for open transactions of this service that name a participant which this process does not know: after a step was
     * renamed, or a version taken away too early. Call it before {@link #start}. Looks at 10 000 open ones in each state at most.
     *
     * @throws UnknownParticipantException if there is one: its calls would wait until somebody knows it
     */
    public Transactions requireParticipants() {
        UnknownTargets.require(store, participants, options.service());
        return this;
    }

    /**
     * Tells of each transaction that this object has seen end or be suspended, for those who wait without a thread of their
     * own; what another process has driven is not told. Who was told before is told still. Returns this.
     *
     * @param listener called in threads of this object: it must neither block nor throw
     */
    public Transactions tell(Consumer<TransactionRecord> listener) {
        drives.tell(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /** A fresh ID: a UUID of version 7, so that IDs go up with time. */
    public TransactionId newId() {
        return new TransactionId(ids.nextUuid().toString());
    }

    /**
     * Begins a transaction and drives it, in threads of this object; {@link #await} tells how it ends. With the ID and the
     * content of one that has begun, nothing happens.
     *
     * @return the transaction as it is now
     * @throws TransactionConflictException if there is another one of that ID
     * @throws dev.tenon.OutcomeUnknownException if it is not known whether it has begun: call again with the same draft
     */
    public TransactionRecord begin(TransactionDraft draft) {
        if (!drives.hasRoom()) {
            return Decisions.required(
                    store.begin(draft, Optional.empty(), Duration.ZERO)); // recovery drives it in its turn
        }
        long askedNanos = options.time().nanoTime();
        Begun begun = store.begin(drives.withFirstCalls(draft), Optional.of(rules.owner()), options.claim());
        if (begun instanceof Begun.Created created) {
            drives.driveBegun(created.transaction(), askedNanos);
        }
        return Decisions.required(begun);
    }

    /**
     * As {@link #begin(TransactionDraft)}, as part of a local transaction: it begins if that is committed. It is then
     * driven by {@link #hurry}, or else by recovery after {@link TransactionOptions#pollEvery}.
     *
     * @param connection with a transaction open, of the database that has the log
     * @throws IllegalStateException if the log is not in a database that local transactions take part in
     */
    public TransactionRecord begin(Connection connection, TransactionDraft draft) {
        return Decisions.required(local().begin(connection, draft, Optional.empty(), Duration.ZERO));
    }

    /**
     * Begins a transaction whose first phase is the caller's: nobody else looks at it before its deadline. The caller decides with
     * {@link #commit} or {@link #abort}.
     *
     * @throws TransactionConflictException if there is another one of that ID
     */
    public TransactionRecord open(TransactionDraft draft) {
        return Decisions.required(store.begin(draft, Optional.empty(), draft.deadline()));
    }

    /**
     * As {@link #open(TransactionDraft)}, as part of a local transaction: it is there if that is committed.
     *
     * @param connection with a transaction open, of the database that has the log
     */
    public TransactionRecord open(Connection connection, TransactionDraft draft) {
        return Decisions.required(local().begin(connection, draft, Optional.empty(), draft.deadline()));
    }

    /**
     * Drives a transaction that a local transaction has begun or decided, now that it is committed, without waiting for the
     * next pass of recovery. Unless there is one of that ID that nobody drives, nothing happens.
     */
    public void hurry(TransactionId gid) {
        store.find(gid).ifPresent(this::hurry);
    }

    /** As {@link #hurry(TransactionId)}, without reading the transaction again: {@code read} is how it was found last. */
    public void hurry(TransactionRecord read) {
        drives.resume(read);
    }

    /**
     * Decides that a transaction is committed, and drives it on. Of this, {@link #abort} and the deadline exactly one wins.
     *
     * @return the transaction as it is now: committing or committed
     * @throws TransactionAbortedException if it was aborted
     * @throws TransactionConflictException if it can't be committed at this moment, such as before all of its branches tried
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord commit(TransactionId gid) {
        return commit(require(gid));
    }

    /**
     * As {@link #commit(TransactionId)}, without reading the transaction again unless it has changed.
     *
     * @param read as it was returned last
     */
    public TransactionRecord commit(TransactionRecord read) {
        Drives.Decision decision = drives.new Decision();
        TransactionRecord decided = change(read, tx -> {
            TransactionRecord committed = Decisions.committed(tx, rules.of(tx.kind()));
            return decision.write(committed, !committed.equals(tx));
        });
        decision.drive(decided);
        return decided;
    }

    /**
     * As {@link #commit(TransactionId)}, as part of a local transaction: it is decided if that is committed.
     *
     * @param connection with a transaction open, of the database that has the log
     * @param read the transaction as it was returned last: no statement is spent on reading it again
     * @throws TransactionAbortedException if it was aborted, or changed by somebody else: roll back
     */
    public TransactionRecord commit(Connection connection, TransactionRecord read) {
        TransactionRecord after = Decisions.committed(read, rules.of(read.kind()));
        return local().update(connection, read, after, List.of())
                .orElseThrow(() -> new TransactionAbortedException("Transaction " + read.gid()
                        + " was decided by somebody else, or its deadline has passed: roll back"));
    }

    /**
     * Decides that a transaction is aborted, and drives it on.
     *
     * @param by who says so, for the history
     * @param reason why
     * @return the transaction as it is now: aborting or aborted
     * @throws TransactionConflictException if it was committed, or can't be aborted at this moment
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord abort(TransactionId gid, String by, String reason) {
        TransactionRecord decided =
                change(gid, tx -> Decisions.aborted(tx, rules.of(tx.kind())), List.of(event("aborted", by, reason)));
        drives.resume(decided);
        return decided;
    }

    /**
     * Lets a transaction go on after its trouble was mended: what is stuck, or waits for its next attempt, is called at once. One that
     * has ended stays as it is.
     *
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord retry(TransactionId gid, String by) {
        TransactionRecord retried = change(
                gid,
                tx -> tx.state().isFinal() ? tx : Decisions.atOnce(TransactionMachine.retried(tx)),
                List.of(event("retried", by, "")));
        drives.resume(retried);
        return retried;
    }

    /**
     * Lets nobody drive a transaction until {@link #resume}. Changes no decision; calls that are under way are not called back. One
     * that has ended stays as it is.
     *
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord suspend(TransactionId gid, String by, String reason) {
        String why = reason.isEmpty() ? "suspended by " + by : reason;
        return change(
                gid,
                tx -> tx.state().isFinal() ? tx : tx.suspendedFor(Optional.of(why)),
                List.of(event("suspended", by, reason)));
    }

    /**
     * Lets a suspended transaction be driven again.
     *
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord resume(TransactionId gid, String by) {
        TransactionRecord resumed = change(
                gid,
                tx -> tx.suspended().isEmpty() ? tx : Decisions.atOnce(tx.suspendedFor(Optional.empty())),
                List.of(event("resumed", by, "")));
        drives.resume(resumed);
        return resumed;
    }

    /**
     * Gives a transaction up as it is, for good: nobody is called for it any more, and its branches stay as they are. For one whose commit or
     * abort can never be done, after somebody has seen to what it leaves. Its row locks of automatic undo are freed when somebody comes to them;
     * the barrier keeps refusing late calls for as long as it remembers. One that is closed stays as it is.
     *
     * @param by who says so, for the history
     * @param why what was done about it; not blank
     * @throws IllegalArgumentException if {@code why} is blank
     * @throws TransactionConflictException if it has ended, or is neither decided nor suspended: whoever began it may go on
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord closeAsIs(TransactionId gid, String by, String why) {
        if (why.isBlank()) {
            throw new IllegalArgumentException(
                    "Say why transaction " + gid + " is closed as it is: it can't be undone");
        }
        while (true) {
            TransactionRecord before = require(gid);
            TransactionRecord closed = Decisions.closed(before, by, why);
            List<TransactionEvent> events =
                    List.of(event("closed", by, why), event("left", by, Decisions.left(before)));
            Optional<TransactionRecord> stored =
                    closed.equals(before) ? Optional.of(before) : store.update(before, closed, events);
            if (stored.isPresent()) {
                drives.resume(stored.get());
                return stored.get();
            }
        }
    }

    /**
     * Changes a transaction that is open ({@link #open}), such as by adding a branch before it is tried.
     *
     * @param change may be called more than once
     * @return as it is now; as it was if {@code change} changes nothing
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord change(TransactionId gid, UnaryOperator<TransactionRecord> change) {
        return change(gid, change, List.of());
    }

    /**
     * As {@link #change(TransactionId, UnaryOperator)}, without reading the transaction again unless it has changed.
     *
     * @param read as it was returned last
     */
    public TransactionRecord change(TransactionRecord read, UnaryOperator<TransactionRecord> change) {
        TransactionRecord after = change.apply(read);
        return after.equals(read)
                ? read
                : store.update(read, after, List.of()).orElseGet(() -> change(read.gid(), change));
    }

    private TransactionRecord change(
            TransactionId gid, UnaryOperator<TransactionRecord> change, List<TransactionEvent> events) {
        while (true) {
            TransactionRecord before = require(gid);
            TransactionRecord after = change.apply(before);
            if (after.equals(before)) {
                return before;
            }
            Optional<TransactionRecord> stored = store.update(before, after, events);
            if (stored.isPresent()) {
                return stored.get();
            }
        }
    }

    private TransactionEvent event(String what, String by, String detail) {
        return new TransactionEvent(store.now(), what, Objects.requireNonNull(by, "by"), detail);
    }

    /** The transaction of that ID. */
    public Optional<TransactionRecord> find(TransactionId gid) {
        return store.find(gid);
    }

    private TransactionRecord require(TransactionId gid) {
        return store.find(gid).orElseThrow(() -> new UnknownTransactionException(gid));
    }

    /** What can be said of a transaction. */
    public TransactionOutcome outcome(TransactionId gid) {
        return store.find(gid).map(Decisions::outcome).orElseGet(TransactionOutcome.Expired::new);
    }

    /** What operators did with a transaction, and what kept it from going on; oldest first. */
    public List<TransactionEvent> history(TransactionId gid) {
        return store.history(gid);
    }

    /** As {@link TransactionStore#list}. */
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return store.list(filter, after, limit);
    }

    /**
     * Waits for the end of a transaction, whoever drives it.
     *
     * @param patience how long
     * @return the transaction as it is then: final, suspended, or still on its way
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord await(TransactionId gid, Duration patience) throws InterruptedException {
        return drives.await(gid, patience, () -> require(gid));
    }

    /**
     * One pass of recovery: claims what is due, drives it, and waits until it rests.
     *
     * @return how many transactions were driven
     */
    public int runOnce() {
        return drives.pass().join();
    }

    /** Forgets what ended longer ago than {@link TransactionOptions#retention}, of this service; returns how many. */
    public int purge() {
        return drives.purge();
    }

    private LocalTransactionStore local() {
        if (store instanceof LocalTransactionStore local) {
            return local;
        }
        throw new IllegalStateException(
                "This log of transactions is in no database that a local transaction could be part"
                        + " of: use the log of the database that has the business tables (JdbcBackend.transactions)");
    }

    /** Drives no more. What is under way is taken over when its claim is over. Idempotent. */
    @Override
    public void close() {
        drives.close();
    }
}
