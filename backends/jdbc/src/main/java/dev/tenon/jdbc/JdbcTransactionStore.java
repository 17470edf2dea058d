package dev.tenon.jdbc;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.LocalTransactionStore;
import dev.tenon.tx.spi.TransactionMachine;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The log of transactions in the tables {@code tenon_tx}, {@code tenon_tx_branch} and {@code tenon_tx_event}. A write
 * is a compare-and-set on the row of the transaction, and what belongs to it is written in the same local transaction.
 */
final class JdbcTransactionStore implements LocalTransactionStore {
    private final SqlCalls sql;
    private final Dialect dialect;
    private final TransactionCalls calls;
    private final Sql now;

    JdbcTransactionStore(SqlCalls sql, Dialect dialect, Shortcuts shortcuts) {
        this.sql = sql;
        this.dialect = dialect;
        this.calls = new TransactionCalls(dialect, shortcuts);
        this.now = dialect.sql(SqlStatement.TX_NOW);
    }

    @Override
    public Instant now() {
        return sql.run((link, doubt) -> link.query(now, new Args(), row -> LockRow.instant(row.getLong(1)))
                .get(0));
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        requireStorable(draft);
        requireLease(lease);
        return untilKnown((link, doubt) -> {
            Begun begun = calls.begin(link, true, draft, owner, lease);
            // Nobody has touched it, and it is the same to its last letter: it began with the call whose answer was
            // lost.
            boolean own = doubt
                    && begun instanceof Begun.Known known
                    && known.transaction().progress().version() == 1
                    && known.transaction().progress().owner().equals(owner);
            return own ? new Begun.Created(begun.transaction()) : begun;
        });
    }

    @Override
    public Begun begin(Connection connection, TransactionDraft draft, Optional<String> owner, Duration lease) {
        requireStorable(draft);
        requireLease(lease);
        return within(connection, draft.gid(), "Beginning one", link -> calls.begin(link, false, draft, owner, lease));
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return sql.run((link, doubt) -> calls.find(link, gid));
    }

    @Override
    public Optional<TransactionRecord> find(Connection connection, TransactionId gid) {
        return within(connection, gid, "Reading one", link -> calls.find(link, gid));
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        TransactionWrite write = new TransactionWrite(before, next(before, after), events);
        return untilKnown((link, doubt) -> {
            Optional<TransactionRecord> written = calls.update(link, true, write);
            return written.isPresent() || !doubt ? written : lost(write, calls.find(link, write.gid()));
        });
    }

    /** Whether the write whose answer was lost is what is there now. */
    private static Optional<TransactionRecord> lost(TransactionWrite write, Optional<TransactionRecord> found) {
        if (found.isEmpty()) {
            return Optional.empty();
        }
        TransactionRecord there = found.get();
        if (there.progress().version() > write.next().progress().version()) {
            throw new OutcomeUnknownException("The connection broke while transaction " + write.gid()
                    + " was written, and it was written again since then: look at it as it is now");
        }
        boolean own = there.equals(write.endedAt(there.progress().endedAt()));
        return own ? found : Optional.empty();
    }

    @Override
    public Optional<TransactionRecord> update(
            Connection connection, TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        TransactionWrite write = new TransactionWrite(before, next(before, after), events);
        return within(connection, write.gid(), "Writing one", link -> calls.update(link, false, write));
    }

    /** What is to be there after a write, but for the time of its end. */
    private static TransactionRecord next(TransactionRecord before, TransactionRecord after) {
        if (!fixed(after).equals(fixed(before))
                || after.progress().version() != before.progress().version()) {
            throw new IllegalArgumentException("Transaction " + after.gid() + " of version "
                    + after.progress().version() + " is not made of " + before.gid() + " of version "
                    + before.progress().version() + ": only progress, branches, deadline and retries change");
        }
        after.branches().stream().skip(before.branches().size()).forEach(JdbcTransactionStore::requireStorable);
        return TransactionMachine.replaced(before, TransactionRow.asKept(after), Instant.EPOCH);
    }

    /** What stays as it began. */
    private static List<Object> fixed(TransactionRecord tx) {
        return List.of(
                tx.gid(), tx.kind(), tx.service(), tx.name(), tx.digest(), tx.payload(), tx.parent(), tx.createdAt());
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        return sql.run((link, doubt) -> calls.claim(link, claim));
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        requireLimit(limit, 1000);
        return sql.run((link, doubt) -> calls.list(link, filter, after, limit));
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return sql.run((link, doubt) -> calls.history(link, gid));
    }

    @Override
    public int purge(Duration retention, int limit) {
        requireLimit(limit, 10_000);
        return sql.run((link, doubt) -> link.atomically(() -> calls.purge(link, Optional.empty(), retention, limit)));
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        requireLimit(limit, 10_000);
        return sql.run(
                (link, doubt) -> link.atomically(() -> calls.purge(link, Optional.of(service), retention, limit)));
    }

    /** Every write can be repeated: where the answer was lost, a second call tells what became of the first. */
    private <T> T untilKnown(SqlCalls.Work<T> work) {
        try {
            return sql.run(work);
        } catch (OutcomeUnknownException e) {
            try {
                return sql.run((link, doubt) -> work.run(link, true));
            } catch (TenonException again) {
                e.addSuppressed(again);
                throw e;
            }
        }
    }

    /** Statements of a link. */
    @FunctionalInterface
    private interface Work<T> {
        T run(Link link) throws SQLException;
    }

    private <T> T within(Connection connection, TransactionId gid, String what, Work<T> work) {
        try {
            CallersTransaction.require(connection, what);
            Link link = new Link(connection);
            try {
                return work.run(link);
            } finally {
                link.closeStatements();
            }
        } catch (SQLException e) {
            throw CallersTransaction.failed(
                    dialect, e, "transaction " + gid, "Transaction " + gid + " can't be written here");
        }
    }

    private static void requireStorable(TransactionDraft draft) {
        requireStorable(draft.service());
        requireStorable(draft.name());
        requireStorable(draft.payload());
        draft.branches().forEach(JdbcTransactionStore::requireStorable);
    }

    private static void requireStorable(BranchRecord branch) {
        requireStorable(branch.name());
        requireStorable(branch.payload());
        branch.targets().values().forEach(JdbcTransactionStore::requireStorable);
    }

    private static void requireStorable(String text) {
        int at = text.indexOf('\0');
        if (at >= 0) {
            throw new IllegalArgumentException("Character " + (at + 1) + " of a text is U+0000, which databases can't"
                    + " keep: encode binary content, such as in Base64");
        }
    }

    private static void requireLease(Duration lease) {
        if (lease.isNegative()) {
            throw new IllegalArgumentException("A transaction is its owner's for zero time or more, not " + lease);
        }
    }

    private static void requireLimit(int limit, int max) {
        if (limit < 1 || limit > max) {
            throw new IllegalArgumentException("A limit of 1 to " + max + " is needed, not " + limit);
        }
    }
}
