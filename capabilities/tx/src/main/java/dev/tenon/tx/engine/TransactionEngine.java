package dev.tenon.tx.engine;

import dev.tenon.id.standard.EpochUuidGenerator;
import dev.tenon.id.standard.UuidGenerator;
import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.LocalTransactionStore;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * {@link Transactions} over a store, with every mode: whatever is in the log is driven to its end, whether or not this
 * process uses its mode itself. Thread-safe; calls block.
 */
public final class TransactionEngine implements Transactions {
    private final TransactionStore store;
    private final TransactionOptions options;
    private final Participants participants;
    private final ModeRegistry modes;
    private final String owner;
    private final UuidGenerator ids = EpochUuidGenerator.create();
    private final TransactionExecutor executor;

    TransactionEngine(TransactionStore store, Participants participants, TransactionOptions options) {
        this.store = Objects.requireNonNull(store, "store");
        this.options = Objects.requireNonNull(options, "options");
        this.participants = new WarnedParticipants(participants, options.service());
        this.modes = ModeRegistry.ofAllModes();
        this.owner = "tenon-" + ids.nextUuid();
        this.executor = new TransactionExecutor(store, this.participants, modes, owner, options);
    }

    /**
     * Transactions over a log. Nothing runs by itself until {@link #start}.
     *
     * @param store the log, of a backend
     * @param participants what is called; looked up anew for each call
     * @throws IllegalArgumentException if {@code options} name no service
     */
    public static Transactions over(TransactionStore store, Participants participants, TransactionOptions options) {
        return new TransactionEngine(store, participants, requireService(options));
    }

    /** Without a name, two applications on one log would drive each other's transactions. */
    private static TransactionOptions requireService(TransactionOptions options) {
        if (options.service().isBlank()) {
            throw new IllegalArgumentException(
                    "The service has no name: set one that no other application on this log has, by"
                            + " TransactionOptions.DEFAULT.withService(\"orders\"). For transactions that were begun without one:"
                            + " UnnamedTransactions.over");
        }
        return options;
    }

    @Override
    public Transactions start() {
        executor.start();
        return this;
    }

    @Override
    public Transactions forgetEveryService() {
        executor.forgetEveryService();
        return this;
    }

    @Override
    public TransactionOptions options() {
        return options;
    }

    @Override
    public Transactions requireParticipants() {
        UnknownTargets.require(store, participants, options.service());
        return this;
    }

    @Override
    public Transactions tell(Consumer<TransactionRecord> listener) {
        executor.tell(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    @Override
    public TransactionId newId() {
        return new TransactionId(ids.nextUuid().toString());
    }

    @Override
    public TransactionRecord begin(TransactionDraft draft) {
        if (!executor.hasRoom()) {
            return Decisions.required(
                    store.begin(draft, Optional.empty(), Duration.ZERO)); // recovery drives it at the next poll
        }
        long askedNanos = options.time().nanoTime();
        Begun begun = store.begin(executor.withFirstCalls(draft), Optional.of(owner), options.claim());
        if (begun instanceof Begun.Created created) {
            executor.driveBegun(created.transaction(), askedNanos);
        }
        return Decisions.required(begun);
    }

    @Override
    public TransactionRecord begin(Connection connection, TransactionDraft draft) {
        return Decisions.required(local().begin(connection, draft, Optional.empty(), Duration.ZERO));
    }

    @Override
    public TransactionRecord open(TransactionDraft draft) {
        return Decisions.required(store.begin(draft, Optional.empty(), draft.deadline()));
    }

    @Override
    public TransactionRecord open(Connection connection, TransactionDraft draft) {
        return Decisions.required(local().begin(connection, draft, Optional.empty(), draft.deadline()));
    }

    @Override
    public void hurry(TransactionId gid) {
        store.find(gid).ifPresent(this::hurry);
    }

    @Override
    public void hurry(TransactionRecord read) {
        executor.resume(read);
    }

    @Override
    public TransactionRecord commit(TransactionId gid) {
        return commit(require(gid));
    }

    @Override
    public TransactionRecord commit(TransactionRecord read) {
        TransactionExecutor.Decision decision = executor.new Decision();
        TransactionRecord decided = change(read, tx -> {
            TransactionRecord committed = Decisions.committed(tx, modes.of(tx.kind()));
            return decision.write(committed, !committed.equals(tx));
        });
        decision.drive(decided);
        return decided;
    }

    @Override
    public TransactionRecord commit(Connection connection, TransactionRecord read) {
        TransactionRecord after = Decisions.committed(read, modes.of(read.kind()));
        return local().update(connection, read, after, List.of())
                .orElseThrow(() -> new TransactionAbortedException("Transaction " + read.gid()
                        + " was decided by another process, or its deadline has passed: roll back"));
    }

    @Override
    public TransactionRecord abort(TransactionId gid, String by, String reason) {
        TransactionRecord decided =
                change(gid, tx -> Decisions.aborted(tx, modes.of(tx.kind())), List.of(event("aborted", by, reason)));
        executor.resume(decided);
        return decided;
    }

    @Override
    public TransactionRecord retry(TransactionId gid, String by) {
        TransactionRecord retried = change(
                gid,
                tx -> tx.state().isFinal() ? tx : Decisions.atOnce(TransactionMachine.retried(tx)),
                List.of(event("retried", by, "")));
        executor.resume(retried);
        return retried;
    }

    @Override
    public TransactionRecord suspend(TransactionId gid, String by, String reason) {
        String why = reason.isEmpty() ? "suspended by " + by : reason;
        return change(
                gid,
                tx -> tx.state().isFinal() ? tx : tx.suspendedFor(Optional.of(why)),
                List.of(event("suspended", by, reason)));
    }

    @Override
    public TransactionRecord resume(TransactionId gid, String by) {
        TransactionRecord resumed = change(
                gid,
                tx -> tx.suspended().isEmpty() ? tx : Decisions.atOnce(tx.suspendedFor(Optional.empty())),
                List.of(event("resumed", by, "")));
        executor.resume(resumed);
        return resumed;
    }

    @Override
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
                executor.resume(stored.get());
                return stored.get();
            }
        }
    }

    @Override
    public TransactionRecord change(TransactionId gid, UnaryOperator<TransactionRecord> change) {
        return change(gid, change, List.of());
    }

    @Override
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

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return store.find(gid);
    }

    private TransactionRecord require(TransactionId gid) {
        return store.find(gid).orElseThrow(() -> new UnknownTransactionException(gid));
    }

    @Override
    public TransactionOutcome outcome(TransactionId gid) {
        return store.find(gid).map(Decisions::outcome).orElseGet(TransactionOutcome.Expired::new);
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return store.history(gid);
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return store.list(filter, after, limit);
    }

    @Override
    public TransactionRecord await(TransactionId gid, Duration patience) throws InterruptedException {
        return executor.await(gid, patience, () -> require(gid));
    }

    @Override
    public int runOnce() {
        return executor.pass().join();
    }

    @Override
    public int purge() {
        return executor.purge();
    }

    private LocalTransactionStore local() {
        if (store instanceof LocalTransactionStore local) {
            return local;
        }
        throw new IllegalStateException(
                "This log of transactions is in no database that a local transaction could be part"
                        + " of: use the log of the database that has the business tables (JdbcBackend.transactions)");
    }

    @Override
    public void close() {
        executor.close();
    }
}
