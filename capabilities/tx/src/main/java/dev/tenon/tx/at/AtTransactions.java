package dev.tenon.tx.at;

import dev.tenon.TenonException;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Transactions with automatic undo over several databases (the AT mode of Seata). Each database commits its part at
 * once and keeps the inverse beside it; the log decides; an abort carries the inverses out. Between the two, what was
 * written is visible to others, but no other such transaction can change it. Thread-safe.
 */
public final class AtTransactions {
    private static final String SCHEME = "at:";

    private final Transactions transactions;
    private final Map<String, AtResource> resources;

    private AtTransactions(Transactions transactions, Map<String, AtResource> resources) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.resources = Map.copyOf(resources);
    }

    /**
     * Transactions over a log and databases.
     *
     * @param transactions over the {@link #participants} of the same databases, among others
     * @param resources the databases by names, which stand in the log: a name must go on meaning the same database
     */
    public static AtTransactions over(Transactions transactions, Map<String, AtResource> resources) {
        return new AtTransactions(transactions, resources);
    }

    /** The second phase of these databases, for {@link dev.tenon.tx.engine.TransactionEngine#over}. */
    public static Participants participants(Map<String, AtResource> resources) {
        Map<String, AtResource> known = Map.copyOf(resources);
        return new Participants() {
            @Override
            public Optional<Participant> find(String target) {
                return target.startsWith(SCHEME)
                        ? Optional.ofNullable(known.get(target.substring(SCHEME.length())))
                                .map(AtResource::participant)
                        : Optional.empty();
            }

            @Override
            public Set<String> names() {
                return known.keySet().stream().map(SCHEME::concat).collect(Collectors.toSet());
            }
        };
    }

    /**
     * Begins a transaction.
     *
     * @param deadline until when it has to be committed; after that it is aborted
     */
    public AtTransaction begin(Duration deadline) {
        TransactionId gid = transactions.newId();
        TransactionRecord opened = transactions.open(new TransactionDraft(
                gid,
                TransactionKind.AT,
                transactions.options().service(),
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                deadline,
                RetryPolicy.FOR_EVER,
                List.of()));
        return new AtTransaction(this, gid, Optional.of(opened));
    }

    /** Takes part in a transaction that another process over the same log has begun, and will decide. */
    public AtTransaction join(TransactionId gid) {
        return new AtTransaction(this, Objects.requireNonNull(gid, "gid"), Optional.empty());
    }

    Transactions transactions() {
        return transactions;
    }

    /** Whether an operator has closed a transaction as it is; no, if the log is away. */
    boolean isClosed(TransactionId gid) {
        try {
            return transactions
                    .find(gid)
                    .filter(tx -> tx.state() == TransactionState.CLOSED)
                    .isPresent();
        } catch (TenonException e) {
            return false; // its rows are its own for now
        }
    }

    /** Something is to be a branch on a database: what to connect it with. */
    AtResource resource(String name) {
        AtResource database = resources.get(Objects.requireNonNull(name, "resource"));
        if (database == null) {
            throw new IllegalArgumentException(
                    "No database \"" + name + "\" takes part; there are " + resources.keySet());
        }
        return database;
    }

    /** Writes down that there is a branch, which may be called from then on. */
    TransactionRecord named(TransactionId gid, Optional<TransactionRecord> read, String branch, String resource) {
        Map<Operation, String> targets =
                Map.of(Operation.CONFIRM, SCHEME + resource, Operation.CANCEL, SCHEME + resource);
        BranchRecord called = BranchRecord.planned(branch, targets, "").called(BranchState.CALLED);
        return read.isPresent()
                ? transactions.change(read.get(), tx -> with(tx, called))
                : transactions.change(gid, tx -> with(tx, called));
    }

    private static TransactionRecord with(TransactionRecord tx, BranchRecord branch) {
        if (tx.state() != TransactionState.ACTIVE) {
            throw new TransactionAbortedException(
                    "Transaction " + tx.gid() + " is " + tx.state() + ": no branch can join it any more");
        }
        List<BranchRecord> branches = new ArrayList<>(tx.branches());
        branches.add(branch);
        return tx.withBranches(branches);
    }
}
