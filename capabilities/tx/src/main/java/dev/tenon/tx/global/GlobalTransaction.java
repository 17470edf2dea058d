package dev.tenon.tx.global;

import dev.tenon.TenonException;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.tcc.TccBranch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The global transaction that a thread is in, of which this service may be the initiator or a participant. It is in the
 * log from its first branch on: one without branches costs nothing. Thread-safe, for work that was {@linkplain
 * GlobalScope#wrap wrapped}.
 */
public final class GlobalTransaction {
    /** Its initiator decides; if that has died, this is when a participant gives its part back. */
    static final Duration PARTICIPANT_DEADLINE = Duration.ofDays(365);

    private final GlobalTransactions owner;
    private final TransactionId gid;
    private final Optional<TransactionId> parent;
    private final GlobalOptions options;
    private final long begunNanos;
    private final AtomicReference<String> rollBackOnly = new AtomicReference<>();
    private final Set<OutgoingCall> calls = ConcurrentHashMap.newKeySet();
    private final Map<String, LocalOne> localOnes = new ConcurrentHashMap<>();
    private volatile boolean opened;
    private volatile boolean over;

    /** Ends what a caller has left open. */
    @FunctionalInterface
    public interface AtEnd {
        /**
         * The work is done, in the thread that calls this.
         *
         * @param commits whether the whole is to be committed, as far as is known
         * @throws SQLException if the local transaction could not be ended
         */
        void end(boolean commits) throws SQLException;
    }

    /** A local transaction that is open. */
    private record LocalOne(String resource, AtEnd atEnd) {}

    GlobalTransaction(
            GlobalTransactions owner, TransactionId gid, Optional<TransactionId> parent, GlobalOptions options) {
        this.owner = owner;
        this.gid = gid;
        this.parent = parent;
        this.options = options;
        this.begunNanos = owner.transactions().options().time().nanoTime();
    }

    /** Its ID; that of this service's part, if another one has begun it. */
    public TransactionId gid() {
        return gid;
    }

    /** Whether this service has begun it, and decides. */
    public boolean isInitiator() {
        return parent.isEmpty();
    }

    /**
     * It can only be rolled back from now on: the initiator's commit fails and tells why. Idempotent; the first reason
     * stays.
     */
    public void rollBackOnly(String reason) {
        rollBackOnly.compareAndSet(null, reason);
    }

    /** Why it can only be rolled back; empty if it may be committed. */
    public Optional<String> rollBackReason() {
        return Optional.ofNullable(rollBackOnly.get());
    }

    /**
     * A connection to a database with automatic undo, as a branch: its local transaction is committed by the caller.
     *
     * @param resource the name of the database
     * @throws TransactionAbortedException if the transaction is decided, or its timeout has passed
     * @throws IllegalArgumentException if no database has that name
     */
    public Connection connection(String resource) throws SQLException {
        return connection(resource, commits -> {});
    }

    /**
     * As {@link #connection(String)}, for callers that leave the commit to the end of the global transaction.
     *
     * @param atEnd called if the local transaction is neither committed nor closed when the work is done, before it is
     *     decided; if it is not over after that, the whole is rolled back
     */
    public Connection connection(String resource, AtEnd atEnd) throws SQLException {
        AtResource database = owner.resource(resource);
        String branch = resource + "#" + owner.transactions().newId();
        name(BranchRecord.planned(branch, twoPhases(GlobalTransactions.AT + resource), "")
                .called(BranchState.CALLED));
        localOnes.put(branch, new LocalOne(resource, atEnd));
        try {
            return watched(branch, database.connect(gid, branch, this::isClosed));
        } catch (SQLException | RuntimeException e) {
            localOnes.remove(branch);
            throw e;
        }
    }

    /** Whether an operator has closed another transaction as it is: then its rows are free. */
    private boolean isClosed(TransactionId other) {
        try {
            return owner.transactions().outcome(other) instanceof TransactionOutcome.Closed;
        } catch (TenonException e) {
            return false; // the log is away: its rows are its own for now
        }
    }

    /**
     * Tells when its local transaction is over: what is committed on it after the decision is refused, and would be
     * missing.
     */
    private Connection watched(String branch, Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                GlobalTransaction.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    try {
                        Object result = method.invoke(connection, args);
                        if (method.getName().equals("commit")) {
                            localOnes.remove(branch);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    } finally {
                        if (method.getName().equals("close")) {
                            localOnes.remove(branch);
                        }
                    }
                });
    }

    /**
     * Adds a branch of TCC, and tries it.
     *
     * @throws TransactionAbortedException if it was refused or has failed: the transaction can only be rolled back
     * @throws IllegalArgumentException if no participant has that name
     */
    public void tryIt(TccBranch branch) {
        requireOpen();
        open();
        try {
            owner.tcc().enlist(gid, branch);
        } catch (TransactionAbortedException e) {
            rollBackOnly(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /**
     * Begins a call of another service, which is a branch from here on.
     *
     * @param service a name of {@link GlobalTransactions#over}'s services
     * @throws IllegalArgumentException if no service has that name
     */
    public OutgoingCall outgoing(String service) {
        String target = owner.target(service);
        TransactionId child = GlobalTransactions.child(gid, service);
        name(BranchRecord.planned("service:" + service, twoPhases(target), child.text())
                .called(BranchState.CALLED));
        return new OutgoingCall(this, service, child);
    }

    private static Map<Operation, String> twoPhases(String target) {
        return Map.of(Operation.CONFIRM, target, Operation.CANCEL, target);
    }

    /** Writes down that there is a branch, before anything is done in it. */
    private void name(BranchRecord branch) {
        requireOpen();
        open();
        owner.transactions().change(gid, tx -> {
            if (tx.state() != TransactionState.ACTIVE) {
                throw new TransactionAbortedException(
                        "Transaction " + gid + " is " + tx.state() + ": no branch can join it any more");
            }
            if (tx.branch(branch.name()).isPresent()) {
                return tx; // a service that was called before
            }
            List<BranchRecord> branches = new ArrayList<>(tx.branches());
            branches.add(branch);
            return tx.withBranches(branches);
        });
    }

    private void requireOpen() {
        if (over) {
            throw new TransactionAbortedException("Transaction " + gid
                    + " is over for this service: wrapped work has to end before the scope that it was wrapped in");
        }
        if (isLate()) {
            throw new TransactionAbortedException(late());
        }
    }

    private boolean isLate() {
        long passed = owner.transactions().options().time().nanoTime() - begunNanos;
        return isInitiator() && passed >= options.timeout().toNanos();
    }

    private String late() {
        return "Transaction " + label() + " has not been committed within its timeout of " + options.timeout();
    }

    /** Puts it into the log; the same content under one ID begins it once. */
    private void open() {
        if (opened) {
            return;
        }
        TransactionRecord tx = owner.transactions()
                .open(
                        isInitiator()
                                ? owner.draft(gid, parent, options.name(), options.timeout())
                                : owner.draft(gid, parent, "", PARTICIPANT_DEADLINE));
        if (tx.state() != TransactionState.ACTIVE) {
            throw new TransactionAbortedException(
                    "Transaction " + gid + " is " + tx.state() + ": a new branch can't join it");
        }
        opened = true;
    }

    void called(OutgoingCall call) {
        calls.add(call);
    }

    void ended(OutgoingCall call) {
        calls.remove(call);
    }

    private void requireNothingUnderWay() {
        calls.forEach(call -> rollBackOnly("a call of the service \"" + call.service() + "\" has no answer yet"));
        endLocalOnes();
        localOnes
                .values()
                .forEach(left -> rollBackOnly("a local transaction in \"" + left.resource()
                        + "\" is not over: its connection was neither committed nor closed"));
    }

    private void endLocalOnes() {
        for (LocalOne left : localOnes.values()) {
            try {
                left.atEnd().end(rollBackReason().isEmpty());
            } catch (SQLException | RuntimeException e) { // whatever it is, the whole has still to be decided
                rollBackOnly(
                        "a local transaction in \"" + left.resource() + "\" could not be ended: " + e.getMessage());
            }
        }
    }

    /** The initiator's work is done. */
    void commit() {
        requireNothingUnderWay();
        if (isLate()) {
            rollBackOnly(late());
        }
        Optional<String> why = rollBackReason();
        if (why.isPresent()) {
            rollBack(why.get());
            throw new TransactionAbortedException(
                    "Transaction " + label() + " was rolled back, and not committed: " + why.get());
        }
        over = true;
        if (opened) {
            owner.transactions().commit(gid);
            owner.settle(gid);
        }
    }

    /** The initiator's work has failed. */
    void rollBack(String reason) {
        rollBackOnly(reason);
        endLocalOnes();
        over = true;
        if (opened) {
            owner.transactions().abort(gid, "its initiator", reason);
            owner.settle(gid);
        }
    }

    /** The participant's work is done, or has failed: the initiator decides. */
    void leave() {
        requireNothingUnderWay();
        over = true;
    }

    private String label() {
        return options.name().isEmpty() ? gid.text() : gid + " (" + options.name() + ")";
    }
}
