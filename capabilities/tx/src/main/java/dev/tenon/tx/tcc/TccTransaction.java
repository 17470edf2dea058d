package dev.tenon.tx.tcc;

import dev.tenon.TenonException;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transaction in the hands of its initiator: adds branches, decides. Close it in any case: what is undecided is
 * aborted. Not thread-safe.
 */
public final class TccTransaction implements AutoCloseable {
    /** Its parent decides for it; if that has died, this is when its reservations are given back. */
    private static final Duration NESTED_DEADLINE = Duration.ofDays(365);

    private enum Fate {
        UNDECIDED,
        COMMITTED,
        WITH_LOCAL_COMMIT,
        ABORTED,
        /** A nested one could not be rolled back: what it reserved must not be confirmed. */
        DOOMED
    }

    private final Tcc tcc;
    private TransactionRecord tx;
    private final @Nullable TccTransaction outer;
    private Fate fate = Fate.UNDECIDED;
    private int openNested;

    TccTransaction(Tcc tcc, TransactionRecord opened, @Nullable TccTransaction outer) {
        this.tcc = tcc;
        this.tx = opened;
        this.outer = outer;
        if (outer != null) {
            outer.openNested++;
        }
    }

    /** Its ID. */
    public TransactionId gid() {
        return tx.gid();
    }

    /**
     * Tries every branch that is named so far, all at the same time; one that was tried before answers as it did then.
     *
     * @throws TransactionAbortedException if one was refused or has failed: everything is cancelled
     */
    public void tryAll() {
        tryThese(tx.branches());
    }

    /**
     * Adds a branch and tries it: one more write, which names it before it is called.
     *
     * @throws TransactionAbortedException if it was refused or has failed, or the transaction was aborted: everything
     *     is cancelled
     */
    public void add(TccBranch branch) {
        tryThese(List.of(name(tcc.record(branch))));
    }

    private BranchRecord name(BranchRecord branch) {
        requireUndecided();
        tx = tcc.transactions().change(tx, known -> {
            if (known.state() != TransactionState.ACTIVE) {
                throw new TransactionAbortedException("Transaction " + gid() + " is " + known.state()
                        + ": it takes no more branches; its deadline may have passed");
            }
            List<BranchRecord> branches = new ArrayList<>(known.branches());
            branches.add(branch);
            return known.withBranches(branches);
        });
        return branch;
    }

    private void tryThese(List<BranchRecord> branches) {
        requireUndecided();
        Map<String, Reply> replies = tcc.tryAll(gid(), branches);
        replies.forEach((branch, reply) -> {
            if (!(reply instanceof Reply.Done)) {
                String why = branch + ": " + reason(reply);
                abort(why);
                throw new TransactionAbortedException("Transaction " + gid() + " is aborted; " + why);
            }
        });
    }

    private static String reason(Reply reply) {
        return reply instanceof Reply.Refused refused
                ? "refused: " + refused.reason()
                : "failed: " + ((Reply.NotYet) reply).reason();
    }

    /**
     * Begins a transaction within this one (closed nested transaction: Moss, "Nested Transactions", 1985), and tries
     * its branches. Aborting it gives back what it reserved, and leaves this one active: it is a savepoint. What it
     * commits is provisional: it is confirmed or cancelled as this one is. Costs two writes, one of them for its
     * branches.
     *
     * @param name unique in this transaction; the ID of the nested one is {@code gid:name}
     * @throws TransactionAbortedException if one of its branches was refused or has failed: it is cancelled, this one
     *     is not
     */
    public TccTransaction nested(String name, TccBranch... branches) {
        TransactionId child = new TransactionId(gid() + ":" + name);
        name(Tcc.nested(child));
        boolean settled = false;
        try {
            TccTransaction nested = tcc.openNested(child, this, NESTED_DEADLINE, branches);
            nested.tryAll();
            settled = true;
            return nested;
        } catch (TransactionAbortedException e) {
            settled = true;
            throw e;
        } finally {
            if (!settled) {
                fate = Fate.DOOMED; // the log may or may not have it
            }
        }
    }

    /**
     * Decides that it is committed, in the local transaction of the business: if that is committed, every branch is
     * confirmed, and if not, every branch is cancelled. One statement.
     *
     * @param connection with a transaction open, of the database that has the log
     * @throws TransactionAbortedException if its deadline has aborted it, or a nested one that failed could not be
     *     rolled back: roll back
     * @throws IllegalStateException if it is nested, one that is nested in it is open, or the log is in no such
     *     database
     */
    public void commit(Connection connection) {
        requireCommittable();
        if (outer != null) {
            throw new IllegalStateException("Transaction " + gid() + " is nested: its parent decides; call commit()");
        }
        tx = tcc.transactions().commit(connection, tx);
        fate = Fate.WITH_LOCAL_COMMIT;
    }

    /**
     * Decides that it is committed, for initiators without a database of their own. A nested one is kept as far as it
     * goes: its parent decides.
     *
     * @throws TransactionAbortedException as in {@link #commit(Connection)}
     * @throws IllegalStateException if one that is nested in it is open
     * @throws dev.tenon.OutcomeUnknownException if that is not known: ask for its outcome
     */
    public void commit() {
        requireCommittable();
        decided(Fate.COMMITTED);
        if (outer == null) {
            tx = tcc.transactions().commit(tx);
        }
    }

    private void requireCommittable() {
        if (fate == Fate.DOOMED) {
            throw new TransactionAbortedException("Transaction " + gid()
                    + " can only be aborted: one nested in it has failed, and the log did not say that it is aborted");
        }
        requireUndecided();
        if (openNested > 0) {
            throw new IllegalStateException(
                    "A transaction nested in " + gid() + " is open: commit, abort or close it first");
        }
    }

    /** Decides that it is aborted, and has everything cancelled that was or may have been tried. */
    public void abort(String reason) {
        if (fate != Fate.DOOMED) {
            requireUndecided();
        }
        decided(Fate.ABORTED);
        boolean written = false;
        try {
            tx = tcc.transactions().abort(gid(), "its initiator", reason);
            written = true;
        } finally {
            if (!written && outer != null) {
                outer.fate = Fate.DOOMED;
            }
        }
    }

    private void decided(Fate decision) {
        fate = decision;
        if (outer != null) {
            outer.openNested--;
        }
    }

    private void requireUndecided() {
        if (fate != Fate.UNDECIDED) {
            throw new IllegalStateException("Transaction " + gid() + " was decided here already: " + fate);
        }
    }

    /**
     * Aborts it, if it is undecided. If it was committed in a local transaction, sees to it, in another thread, that
     * its branches are confirmed, or else cancelled, without delay. Does not fail if the log is away: recovery does
     * what this can't.
     */
    @Override
    public void close() {
        if (fate == Fate.WITH_LOCAL_COMMIT) {
            tcc.settleLater(gid());
        } else if (fate == Fate.UNDECIDED || fate == Fate.DOOMED) {
            try {
                abort("it was left undecided");
            } catch (TenonException e) {
                // Decided elsewhere, or the log is away: then the deadline aborts it.
            }
        }
    }
}
