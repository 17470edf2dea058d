package dev.tenon.tx.saga;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.sql.Connection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sagas that this process knows: registers definitions, and starts them. Every version that the log may still name
 * has to be registered ({@link Transactions#requireParticipants} says which is missing); the newest one is started.
 * Thread-safe.
 */
public final class Sagas {
    private final Transactions transactions;
    private final NamedParticipants participants;
    private final Map<String, Saga> newest = new ConcurrentHashMap<>();

    private Sagas(Transactions transactions, NamedParticipants participants) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.participants = Objects.requireNonNull(participants, "participants");
    }

    /**
     * A registry without sagas.
     *
     * @param participants those that {@code transactions} calls: the steps are added to them
     */
    public static Sagas over(Transactions transactions, NamedParticipants participants) {
        return new Sagas(transactions, participants);
    }

    /**
     * Adds a definition. Returns this.
     *
     * @throws IllegalArgumentException if there is one of its name and version
     */
    public Sagas register(Saga saga) {
        saga.steps().forEach(step -> participants.register(saga.target(step), participant(step)));
        newest.merge(saga.name(), saga, (old, other) -> other.version() > old.version() ? other : old);
        return this;
    }

    private Participant participant(SagaStep step) {
        if (step.child().isPresent()) {
            return new ChildSaga(transactions, this, step.child().get());
        }
        Participant undo = step.compensation().orElse(call -> Reply.done());
        return call -> call.operation() == Operation.COMPENSATE
                ? undo.call(call)
                : step.action().call(call);
    }

    /**
     * Starts a saga, and drives it in threads of {@link Transactions}; {@link Transactions#await} tells how it ends.
     * With the ID and the context of one that was started, nothing happens.
     *
     * @param name the newest version of it is started
     * @param context what every step gets as its payload: JSON as a rule; the steps agree on what it says
     * @return the saga as it is now
     * @throws IllegalArgumentException if no saga of that name is registered
     * @throws dev.tenon.tx.TransactionConflictException if there is another transaction of that ID
     * @throws dev.tenon.OutcomeUnknownException if it is not known whether it has started: call again with the same ID
     */
    public TransactionRecord start(String name, TransactionId gid, String context) {
        return transactions.begin(draft(name, gid, context, Optional.empty()));
    }

    /**
     * As {@link #start(String, TransactionId, String)}, as part of a local transaction: it starts if that is committed,
     * at the latest after {@link dev.tenon.tx.TransactionOptions#pollEvery}, or at once with {@link
     * Transactions#hurry}.
     *
     * @param connection with a transaction open, of the database that has the log
     */
    public TransactionRecord start(Connection connection, String name, TransactionId gid, String context) {
        return transactions.begin(connection, draft(name, gid, context, Optional.empty()));
    }

    /** What {@link #start} begins. */
    TransactionDraft draft(String name, TransactionId gid, String context, Optional<TransactionId> parent) {
        Saga saga = require(name);
        TransactionState state = saga.isForwardOnly() ? TransactionState.COMMITTING : TransactionState.ACTIVE;
        return draft(saga, gid, context, parent, state);
    }

    /** One that is there to be aborted, so that none of its ID begins. */
    TransactionDraft stillborn(String name, TransactionId gid, TransactionId parent) {
        return draft(require(name), gid, "", Optional.of(parent), TransactionState.ACTIVE);
    }

    private Saga require(String name) {
        Saga saga = newest.get(name);
        if (saga == null) {
            throw new IllegalArgumentException(
                    "Saga \"" + name + "\" is not registered in this process; registered are " + newest.keySet());
        }
        return saga;
    }

    private TransactionDraft draft(
            Saga saga, TransactionId gid, String context, Optional<TransactionId> parent, TransactionState state) {
        return new TransactionDraft(
                gid,
                TransactionKind.SAGA,
                transactions.options().service(),
                saga.text(),
                Objects.requireNonNull(context, "context"),
                parent,
                state,
                saga.deadline(),
                saga.retry(),
                branches(saga));
    }

    private static List<BranchRecord> branches(Saga saga) {
        return saga.steps().stream()
                .map(step -> {
                    Map<Operation, String> targets = new EnumMap<>(Operation.class);
                    targets.put(Operation.ACTION, saga.target(step));
                    if (step.compensation().isPresent() || step.child().isPresent()) {
                        targets.put(Operation.COMPENSATE, saga.target(step));
                    }
                    BranchRecord branch =
                            BranchRecord.planned(step.name(), targets, "").after(step.after());
                    return step.pivot() ? branch.asPivot() : branch;
                })
                .toList();
    }
}
