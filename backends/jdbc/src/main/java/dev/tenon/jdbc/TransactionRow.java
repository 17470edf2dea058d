package dev.tenon.jdbc;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Transactions and their branches as rows, and back. Times are kept in microseconds. */
final class TransactionRow {
    private TransactionRow() {}

    /** A transaction with the times, and the text, that the rows will have. */
    static TransactionRecord asKept(TransactionRecord tx) {
        Progress p = tx.progress();
        return new TransactionRecord(
                tx.gid(),
                tx.kind(),
                tx.service(),
                tx.name(),
                tx.digest(),
                tx.payload(),
                tx.parent(),
                tx.retry(),
                tx.createdAt(),
                micros(tx.deadline()),
                new Progress(
                        p.state(),
                        p.version(),
                        p.claims(),
                        p.owner(),
                        micros(p.dueAt()),
                        p.suspended().map(TransactionText::storable),
                        p.endedAt(),
                        p.trouble().map(TransactionRow::asKept)),
                tx.branches().stream().map(TransactionRow::asKept).toList());
    }

    private static BranchRecord asKept(BranchRecord branch) {
        return new BranchRecord(
                branch.name(),
                branch.after(),
                branch.pivot(),
                branch.targets(),
                branch.payload(),
                branch.state(),
                branch.attempts(),
                branch.dueAt().map(TransactionRow::micros),
                branch.result().map(TransactionText::storable),
                branch.lastError().map(TransactionText::storable));
    }

    private static Trouble asKept(Trouble trouble) {
        return new Trouble(micros(trouble.since()), trouble.stuckAt().map(TransactionRow::micros));
    }

    private static Instant micros(Instant at) {
        return at.truncatedTo(ChronoUnit.MICROS);
    }

    /** The header of a new transaction. */
    static Args args(TransactionDraft draft, Optional<String> owner, long leaseMicros) {
        return new Args()
                .text("gid", draft.gid().text())
                .text("kind", draft.kind().text())
                .text("service", draft.service())
                .text("name", draft.name())
                .text("state", draft.state().name())
                .text("owner", owner.orElse(null))
                .number("deadline", LockRow.micros(draft.deadline()))
                .number("lease", leaseMicros)
                .text("parent", draft.parent().map(TransactionId::text).orElse(null))
                .text("retry", draft.retry().text())
                .text("digest", draft.digest())
                .text("payload", draft.payload());
    }

    /** What may change of a header. */
    static Args args(TransactionRecord after) {
        Progress p = after.progress();
        boolean open = !p.state().isFinal();
        long due = LockRow.micros(p.dueAt());
        return new Args()
                .text("gid", after.gid().text())
                .text("state", p.state().name())
                .text("suspended", p.suspended().orElse(null))
                .number(
                        "failing",
                        p.trouble().map(Trouble::since).map(LockRow::micros).orElse(null))
                .number(
                        "stuck",
                        p.trouble()
                                .flatMap(Trouble::stuckAt)
                                .map(LockRow::micros)
                                .orElse(null))
                .number("epoch", p.claims())
                .text("owner", open ? p.owner().orElse(null) : null)
                .number("deadline", LockRow.micros(after.deadline()))
                .number("due", due)
                .number("claim", open && p.suspended().isEmpty() ? Long.valueOf(due) : null)
                .number("ends", open ? 0 : 1)
                .text("retry", after.retry().text());
    }

    /** A branch, all of it. */
    static Args args(TransactionId gid, int position, BranchRecord branch) {
        return new Args()
                .text("gid", gid.text())
                .number("position", position)
                .text("name", branch.name())
                .text("state", branch.state().name())
                .number("attempts", branch.attempts())
                .number("due", branch.dueAt().map(LockRow::micros).orElse(null))
                .text("result", branch.result().orElse(null))
                .text("error", branch.lastError().orElse(null))
                .number("pivot", branch.pivot() ? 1 : 0)
                .text("after", TransactionText.lines(branch.after()))
                .text("targets", TransactionText.targets(branch.targets()))
                .text("payload", branch.payload());
    }

    /**
     * Makes records of rows that come in the order of the IDs and positions: a row a branch, with the header beside it.
     */
    static final class Reader {
        private final List<TransactionRecord> records = new ArrayList<>();
        private @Nullable TransactionRecord header;
        private List<BranchRecord> branches = new ArrayList<>();

        boolean add(ResultSet row) throws SQLException {
            if (header == null || !header.gid().text().equals(row.getString("gid"))) {
                finish();
                header = header(row);
            }
            if (row.getString("branch") != null) {
                branches.add(branch(row));
            }
            return true;
        }

        private void finish() {
            if (header != null) {
                records.add(header.withBranches(branches));
                branches = new ArrayList<>();
            }
        }

        List<TransactionRecord> records() {
            finish();
            header = null;
            return records;
        }
    }

    /** A transaction without its branches. */
    static TransactionRecord header(ResultSet row) throws SQLException {
        return new TransactionRecord(
                new TransactionId(row.getString("gid")),
                TransactionKind.of(row.getString("kind")),
                row.getString("service"),
                row.getString("name"),
                row.getString("digest"),
                row.getString("payload"),
                text(row, "parent").map(TransactionId::new),
                RetryPolicy.of(row.getString("retry")),
                LockRow.instant(row.getLong("created_at")),
                LockRow.instant(row.getLong("deadline_at")),
                new Progress(
                        TransactionState.valueOf(row.getString("state")),
                        row.getLong("version"),
                        row.getLong("epoch"),
                        text(row, "owner"),
                        LockRow.instant(row.getLong("due_at")),
                        text(row, "suspended"),
                        time(row, "ended_at"),
                        trouble(row)),
                List.of());
    }

    /** One branch. */
    static BranchRecord branch(ResultSet row) throws SQLException {
        return new BranchRecord(
                row.getString("branch"),
                TransactionText.items(row.getString("after_branches")),
                row.getInt("pivot") == 1,
                TransactionText.targets(row.getString("targets")),
                row.getString("branch_payload"),
                BranchState.valueOf(row.getString("branch_state")),
                row.getInt("attempts"),
                time(row, "branch_due_at"),
                text(row, "result"),
                text(row, "last_error"));
    }

    private static Optional<String> text(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getString(column));
    }

    private static Optional<Trouble> trouble(ResultSet row) throws SQLException {
        Optional<Instant> since = time(row, "failing_since");
        return since.isEmpty() ? Optional.empty() : Optional.of(new Trouble(since.get(), time(row, "stuck_at")));
    }

    private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(LockRow.instant(micros));
    }
}
