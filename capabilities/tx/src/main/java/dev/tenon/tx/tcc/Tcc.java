package dev.tenon.tx.tcc;

import dev.tenon.Names;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Try, confirm, cancel (Pardon and Pautasso, "Towards distributed atomic transactions over RESTful services", 2011):
 * registers participants, and begins transactions whose first phase, and whose decision, are the caller's. Confirm and
 * cancel are called by {@link Transactions}, for ever. Thread-safe.
 */
public final class Tcc implements AutoCloseable {
    /** How long a transaction may stay undecided, if nothing else is said. */
    public static final Duration DEADLINE = Duration.ofMinutes(1);

    /** Participant of the branch that stands for a nested transaction. */
    private static final String NESTED = "tcc:nested/1";

    private final Transactions transactions;
    private final NamedParticipants participants;
    private final FirstPhase firstPhase;
    private final Map<String, Registered> newest = new ConcurrentHashMap<>();

    private record Registered(int version, String target) {}

    private Tcc(Transactions transactions, NamedParticipants participants) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.participants = participants.register(NESTED, new NestedTcc(this, transactions));
        this.firstPhase = new FirstPhase(participants, transactions.options().callTimeout());
    }

    /**
     * TCC over a log, without participants.
     *
     * @param participants those that {@code transactions} calls: the participants are added to them
     * @throws IllegalArgumentException if there is one over the same {@code participants}
     */
    public static Tcc over(Transactions transactions, NamedParticipants participants) {
        return new Tcc(transactions, participants);
    }

    /**
     * Adds a participant. A log may still name an older version, which stays registered beside the newer one until its
     * last transaction has ended. Returns this.
     *
     * @param name 1 to 200 characters; branches are tried by its newest version
     * @param version 1 or more
     * @throws IllegalArgumentException if there is one of this name and version
     */
    public Tcc register(String name, int version, TccParticipant participant) {
        Names.requireValid("name of a TCC participant", name);
        if (version < 1) {
            throw new IllegalArgumentException("A version is 1 or more, not " + version);
        }
        String target = "tcc:" + name + "/" + version;
        participants.register(target, dispatch(participant));
        newest.merge(
                name, new Registered(version, target), (old, other) -> other.version() > old.version() ? other : old);
        return this;
    }

    private static Participant dispatch(TccParticipant participant) {
        Objects.requireNonNull(participant, "participant");
        return call -> switch (call.operation()) {
            case TRY -> participant.tryIt(call);
            case CONFIRM -> participant.confirm(call);
            case CANCEL -> participant.cancel(call);
            default ->
                throw new IllegalArgumentException(
                        call.operation().text() + " is not an operation of TCC: call try, confirm or cancel");
        };
    }

    /**
     * Begins a transaction and tries its branches, all at the same time. One write names them all before the first is
     * called. Decide with {@link TccTransaction#commit(Connection)} within {@link #DEADLINE}; whatever ends the block
     * of a try-with-resources before that aborts it.
     *
     * @throws TransactionAbortedException if a branch was refused or has failed: everything is cancelled
     * @throws TransactionConflictException if the ID is taken by another transaction, or this one was committed before
     */
    public TccTransaction begin(TransactionId gid, TccBranch... branches) {
        return begin(gid, DEADLINE, branches);
    }

    /** As {@link #begin(TransactionId, TccBranch...)}, with another deadline, of 1 ms to 365 days. */
    public TccTransaction begin(TransactionId gid, Duration deadline, TccBranch... branches) {
        TransactionRecord opened = transactions.open(draft(gid, deadline, Optional.empty(), branches));
        TccTransaction begun = new TccTransaction(this, requireActive(opened), null);
        begun.tryAll();
        return begun;
    }

    /**
     * Writes a transaction into the log as part of a local transaction, such as the one that commits the transaction
     * before it (chained): both happen, or neither. Its branches are named, not tried: call {@link
     * TccTransaction#tryAll} after the local commit. Otherwise its deadline aborts it.
     *
     * @param connection with a transaction open, of the database that has the log
     */
    public TccTransaction open(Connection connection, TransactionId gid, Duration deadline, TccBranch... branches) {
        TransactionRecord opened = transactions.open(connection, draft(gid, deadline, Optional.empty(), branches));
        return new TccTransaction(this, requireActive(opened), null);
    }

    /**
     * Adds a branch to a transaction of two phases that another caller decides, and tries it: one write, which names it
     * before it is called.
     *
     * @param gid of an open transaction, of this kind or with automatic undo
     * @throws TransactionAbortedException if the branch was refused or has failed, or the transaction is decided:
     *     nothing but an abort is left
     */
    public void enlist(TransactionId gid, TccBranch branch) {
        BranchRecord named = record(branch);
        transactions.change(gid, known -> {
            if (known.state() != TransactionState.ACTIVE) {
                throw new TransactionAbortedException(
                        "Transaction " + gid + " is " + known.state() + ": it takes no more branches");
            }
            List<BranchRecord> branches = new ArrayList<>(known.branches());
            branches.add(named);
            return known.withBranches(branches);
        });
        tryAll(gid, List.of(named)).forEach((name, reply) -> {
            if (!(reply instanceof Reply.Done)) {
                String why = reply instanceof Reply.Refused refused
                        ? "was refused: " + refused.reason()
                        : "has failed: " + ((Reply.NotYet) reply).reason();
                throw new TransactionAbortedException("Branch " + name + " of transaction " + gid + " " + why);
            }
        });
    }

    /** Begins one in another one, without a call. */
    TccTransaction openNested(TransactionId gid, TccTransaction outer, Duration deadline, TccBranch... branches) {
        TransactionDraft draft = draft(gid, deadline, Optional.of(outer.gid()), branches);
        return new TccTransaction(this, requireActive(transactions.open(draft)), outer);
    }

    /** Begins one in order to abort it. */
    void openStillborn(TransactionId gid, TransactionId parent) {
        transactions.open(draft(gid, DEADLINE, Optional.of(parent)));
    }

    private static TransactionRecord requireActive(TransactionRecord opened) {
        if (opened.state() == TransactionState.ABORTING || opened.state() == TransactionState.ABORTED) {
            throw new TransactionAbortedException(
                    "Transaction " + opened.gid() + " is " + opened.state() + ": begin another one, with another ID");
        }
        if (opened.state() != TransactionState.ACTIVE) {
            throw new TransactionConflictException(
                    "Transaction " + opened.gid() + " is " + opened.state() + " already: there is nothing left to do");
        }
        return opened;
    }

    private TransactionDraft draft(
            TransactionId gid, Duration deadline, Optional<TransactionId> parent, TccBranch... branches) {
        return new TransactionDraft(
                gid,
                TransactionKind.TCC,
                transactions.options().service(),
                "",
                "",
                parent,
                TransactionState.ACTIVE,
                deadline,
                RetryPolicy.FOR_EVER,
                Arrays.stream(branches).map(this::record).toList());
    }

    /** A branch that the caller tries: from the moment it is in the log, it may have been. */
    BranchRecord record(TccBranch branch) {
        Registered registered = newest.get(branch.participant());
        if (registered == null) {
            throw new IllegalArgumentException(
                    "There is no TCC participant \"" + branch.participant() + "\" here; there are " + newest.keySet());
        }
        return record(branch.name(), registered.target(), branch.payload());
    }

    /** The branch that stands for a nested transaction. */
    static BranchRecord nested(TransactionId gid) {
        return record("nested:" + gid, NESTED, gid.text());
    }

    private static BranchRecord record(String name, String target, String payload) {
        Map<Operation, String> targets = Map.of(Operation.CONFIRM, target, Operation.CANCEL, target);
        return BranchRecord.planned(name, targets, payload).in(BranchState.CALLED);
    }

    Transactions transactions() {
        return transactions;
    }

    /** Tries branches that are in the log; each answer by the name of its branch. */
    Map<String, Reply> tryAll(TransactionId gid, List<BranchRecord> branches) {
        return firstPhase.call(branches.stream()
                .map(branch -> new BranchCall(
                        gid,
                        branch.name(),
                        Operation.TRY,
                        Objects.requireNonNull(branch.targets().get(Operation.CONFIRM)),
                        branch.payload(),
                        Map.of(),
                        1))
                .toList());
    }

    /** Settles a transaction whose local transaction is over, or will be, in another thread. */
    void settleLater(TransactionId gid) {
        firstPhase.later(() -> settle(gid));
    }

    private void settle(TransactionId gid) {
        Optional<TransactionRecord> decided =
                transactions.find(gid).filter(tx -> tx.state() != TransactionState.ACTIVE);
        if (decided.isPresent()) {
            transactions.hurry(decided.get());
            return;
        }
        try {
            // Waits for a local transaction that is still open, in stores that lock rows; its word is the one that
            // counts.
            transactions.abort(gid, "its initiator", "its local transaction was not committed");
        } catch (TransactionConflictException e) {
            transactions.hurry(gid);
        }
    }

    /** Tries no more. What is undecided is aborted at its deadline. Idempotent. */
    @Override
    public void close() {
        firstPhase.close();
    }
}
