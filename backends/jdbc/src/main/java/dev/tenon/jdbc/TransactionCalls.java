package dev.tenon.jdbc;

import dev.tenon.jdbc.Shortcuts.Shortcut;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionPosition;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionMachine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statements of the log of transactions, in the transaction of whoever calls. Thread-safe; a link is not. */
final class TransactionCalls {
    /** Greater than every character of an ID. */
    private static final String BEYOND_IDS = "~";

    private static final Duration SINCE_EPOCH_MAX = Duration.ofDays(36_500);

    private final Sql insert;
    private final Sql created;
    private final Sql find;
    private final Sql update;
    private final Sql ended;
    private final Sql branchInsert;
    private final Sql branchWrite;
    private final Sql branchDelete;
    private final Sql eventInsert;
    private final Sql history;
    private final Sql list;
    private final Sql listStuck;
    private final Sql now;
    private final Claims claims;
    private final Purges purges;

    private final Dialect dialect;
    private final AtOnce begin;
    private final AtOnce write;

    private record Claims(Sql due, Sql lock, Sql write, Sql branches) {}

    private record Purges(Sql lock, Sql lockOfService, Sql delete, Sql events) {}

    TransactionCalls(Dialect dialect, Shortcuts shortcuts) {
        this.dialect = dialect;
        this.insert = dialect.sql(SqlStatement.TX_INSERT);
        this.created = dialect.sql(SqlStatement.TX_CREATED);
        this.find = dialect.sql(SqlStatement.TX_FIND);
        this.update = dialect.sql(SqlStatement.TX_UPDATE);
        this.ended = dialect.sql(SqlStatement.TX_ENDED);
        this.branchInsert = dialect.sql(SqlStatement.TX_BRANCH_INSERT);
        this.branchWrite = dialect.sql(SqlStatement.TX_BRANCH_WRITE);
        this.branchDelete = dialect.sql(SqlStatement.TX_BRANCH_DELETE);
        this.eventInsert = dialect.sql(SqlStatement.TX_EVENT_INSERT);
        this.history = dialect.sql(SqlStatement.TX_HISTORY);
        this.list = dialect.sql(SqlStatement.TX_LIST);
        this.listStuck = dialect.sql(SqlStatement.TX_LIST_STUCK);
        this.now = dialect.sql(SqlStatement.TX_NOW);
        this.claims = new Claims(
                dialect.sql(SqlStatement.TX_DUE),
                dialect.sql(SqlStatement.TX_CLAIM_LOCK),
                dialect.sql(SqlStatement.TX_CLAIM_WRITE),
                dialect.sql(SqlStatement.TX_CLAIM_BRANCHES));
        this.purges = new Purges(
                dialect.sql(SqlStatement.TX_PURGE_LOCK),
                dialect.sql(SqlStatement.TX_PURGE_SERVICE_LOCK),
                dialect.sql(SqlStatement.TX_DELETE),
                dialect.sql(SqlStatement.TX_EVENT_DELETE));
        this.begin = AtOnce.of(shortcuts, SqlStatement.TX_BEGIN);
        this.write = AtOnce.of(shortcuts, SqlStatement.TX_WRITE);
    }

    /**
     * A statement that does all of a call in one round trip, within a transaction of the caller's or as one of its own.
     */
    private record AtOnce(Shortcut within, Shortcut alone) {
        static AtOnce of(Shortcuts shortcuts, SqlStatement name) {
            return new AtOnce(shortcuts.of(name, false), shortcuts.of(name, true));
        }

        @Nullable
        Sql sql(boolean asOne) {
            return (asOne ? alone : within).sql();
        }
    }

    private static <T> Optional<T> one(Link link, boolean alone, Sql sql, Args args, Link.Mapper<T> mapper)
            throws SQLException {
        try {
            return link.query(sql, args, mapper).stream().findFirst();
        } catch (SQLException e) {
            if (alone) {
                link.undo(e); // a script that was broken off has not got to its own end of the transaction
            }
            throw e;
        }
    }

    /**
     * Throws what was thrown, unless it is that the user of the caller's connection may not run what the backend's may.
     */
    private void requireInSteps(boolean alone, SQLException e) throws SQLException {
        if (alone || !dialect.mayNotCall(e)) {
            throw e;
        }
    }

    /**
     * Begins a transaction, unless there is one of that ID.
     *
     * @param alone whether this is a transaction of its own, and not part of the caller's
     */
    Begun begin(Link link, boolean alone, TransactionDraft draft, Optional<String> owner, Duration lease)
            throws SQLException {
        Args args = TransactionRow.args(draft, owner, LockRow.micros(lease));
        Sql atOnce = this.begin.sql(alone);
        if (atOnce != null) {
            args.text("branches", TransactionJson.branches(draft.branches(), 0));
            try {
                Optional<Times> times = one(link, alone, atOnce, args, Times::read);
                return times.isPresent()
                        ? times.get().begun(draft, owner)
                        : known(draft, find(link, draft.gid()), null);
            } catch (SQLException e) {
                requireInSteps(alone, e);
            }
        }
        Link.Transaction<Begun> steps = () -> insert(link, draft, owner, args);
        return alone ? link.atomically(steps) : steps.run();
    }

    /** What the database has chosen. */
    private record Times(Instant created, Instant due) {
        static Times read(ResultSet row) throws SQLException {
            return new Times(LockRow.instant(row.getLong("created_at")), LockRow.instant(row.getLong("due_at")));
        }

        Begun begun(TransactionDraft draft, Optional<String> owner) {
            return new Begun.Created(TransactionMachine.begun(draft, owner, created, due));
        }
    }

    private Begun insert(Link link, TransactionDraft draft, Optional<String> owner, Args args) throws SQLException {
        try {
            link.update(insert, args);
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith("23")) {
                throw e;
            }
            return known(draft, find(link, draft.gid()), e);
        }
        insert(link, draft.gid(), draft.branches(), 0);
        return link.query(created, new Args().text("gid", draft.gid().text()), Times::read)
                .get(0)
                .begun(draft, owner);
    }

    private static Begun known(TransactionDraft draft, Optional<TransactionRecord> found, @Nullable SQLException cause)
            throws SQLException {
        if (found.isEmpty()) {
            throw new SQLException("Transaction " + draft.gid() + " came and went meanwhile", "40001", cause);
        }
        TransactionRecord known = found.get();
        return known.digest().equals(draft.digest()) ? new Begun.Known(known) : new Begun.Conflicting(known);
    }

    Optional<TransactionRecord> find(Link link, TransactionId gid) throws SQLException {
        TransactionRow.Reader reader = new TransactionRow.Reader();
        link.query(find, new Args().text("gid", gid.text()), reader::add);
        return reader.records().stream().findFirst();
    }

    /**
     * Writes a transaction, unless its row has another version than the one that was read.
     *
     * @param alone whether this is a transaction of its own, and not part of the caller's
     */
    Optional<TransactionRecord> update(Link link, boolean alone, TransactionWrite write) throws SQLException {
        Sql atOnce = this.write.sql(alone);
        if (atOnce != null) {
            Args args = write.header()
                    .number("had", write.before().branches().size())
                    .number("size", write.next().branches().size())
                    .number("repeatable", alone && write.repeatable() ? 1 : 0)
                    .text("changed", TransactionJson.changed(write))
                    .text("put", TransactionJson.branches(write.next().branches(), write.same()))
                    .text("events", TransactionJson.events(write.events()));
            try {
                return one(link, alone, atOnce, args, row -> written(write, row));
            } catch (SQLException e) {
                requireInSteps(alone, e);
            }
        }
        Link.Transaction<Optional<TransactionRecord>> steps = () -> writeInSteps(link, write);
        return alone ? link.atomically(steps) : steps.run();
    }

    private static TransactionRecord written(TransactionWrite write, ResultSet row) throws SQLException {
        return write.ends() ? write.endedAt(Optional.of(LockRow.instant(row.getLong("ended_at")))) : write.next();
    }

    private Optional<TransactionRecord> writeInSteps(Link link, TransactionWrite write) throws SQLException {
        if (link.update(update, write.header()) == 0) {
            return Optional.empty();
        }
        TransactionId gid = write.gid();
        List<BranchRecord> branches = write.next().branches();
        batch(
                link,
                branchWrite,
                write.changed().stream()
                        .map(i -> TransactionRow.args(gid, i, branches.get(i)))
                        .toList());
        int same = write.same();
        if (same < write.before().branches().size()) {
            link.update(branchDelete, branchesFrom(gid, same));
        }
        insert(link, gid, branches, same);
        List<Args> lines = new ArrayList<>();
        for (TransactionEvent event : write.events()) {
            lines.add(args(event)
                    .text("gid", gid.text())
                    .number("version", write.next().progress().version())
                    .number("position", lines.size()));
        }
        batch(link, eventInsert, lines);
        Args one = new Args().text("gid", gid.text());
        return !write.ends()
                ? Optional.of(write.next())
                : link.query(ended, one, row -> written(write, row)).stream().findFirst();
    }

    private void insert(Link link, TransactionId gid, List<BranchRecord> branches, int from) throws SQLException {
        List<Args> rows = new ArrayList<>();
        for (int i = from; i < branches.size(); i++) {
            rows.add(TransactionRow.args(gid, i, branches.get(i)));
        }
        batch(link, branchInsert, rows);
    }

    private static Args branchesFrom(TransactionId gid, int from) {
        return new Args().text("gid", gid.text()).number("first", from);
    }

    private static Args args(TransactionEvent event) {
        return new Args()
                .number("at", LockRow.micros(event.at()))
                .text("what", TransactionText.storable(event.what()))
                .text("actor", TransactionText.storable(event.by()))
                .text("detail", TransactionText.storable(event.detail()));
    }

    /** Takes what is due. What it gives out is committed. */
    List<TransactionRecord> claim(Link link, Claim claim) throws SQLException {
        Args service = new Args().text("service", claim.service());
        boolean idle = link.query(claims.due(), service, row -> true).isEmpty();
        return idle ? List.of() : link.atomically(() -> lockAndWrite(link, claim));
    }

    private List<TransactionRecord> lockAndWrite(Link link, Claim claim) throws SQLException {
        record Locked(TransactionRecord header, long now) {}
        Args args = new Args()
                .text("service", claim.service())
                .number("limit", claim.limit())
                .number("look", claim.limit() * SqlCalls.LOOK_FURTHER);
        List<Locked> locked =
                link.query(claims.lock(), args, row -> new Locked(TransactionRow.header(row), row.getLong("now_at")));
        if (locked.isEmpty()) {
            return List.of();
        }
        long until = locked.get(0).now() + LockRow.micros(claim.lease());
        args.text("owner", claim.owner()).number("until", until);
        batch(
                link,
                claims.write(),
                locked.stream()
                        .map(l -> new Args()
                                .text("gid", l.header().gid().text())
                                .text("owner", claim.owner())
                                .number("until", until))
                        .toList());
        Map<String, List<BranchRecord>> branches = new HashMap<>();
        link.query(
                claims.branches(),
                args,
                row -> branches.computeIfAbsent(row.getString("gid"), gid -> new ArrayList<>())
                        .add(TransactionRow.branch(row)));
        return locked.stream()
                .map(Locked::header)
                .map(tx -> tx.withBranches(branches.getOrDefault(tx.gid().text(), List.of())))
                .map(tx -> TransactionMachine.claimed(tx, claim.owner(), LockRow.instant(until)))
                .toList();
    }

    TransactionPage list(Link link, TransactionFilter filter, String after, int limit) throws SQLException {
        Optional<TransactionPosition> position = TransactionPosition.parse(after);
        long now = filter.olderThan().isPresent() || filter.youngerThan().isPresent()
                ? link.query(this.now, new Args(), row -> row.getLong(1)).get(0)
                : 0;
        Args args = new Args()
                .number("at", position.map(p -> LockRow.micros(p.createdAt())).orElse(Long.MAX_VALUE))
                .text("after", position.map(TransactionPosition::gid).orElse(""))
                .number("from", filter.youngerThan().map(age -> ago(now, age)).orElse(0L))
                .number("until", filter.olderThan().map(age -> ago(now, age)).orElse(Long.MAX_VALUE))
                .text("state", filter.state().map(TransactionState::name).orElse(""))
                .text("kind", filter.kind().map(TransactionKind::text).orElse(""))
                .number("services", filter.service().isPresent() ? 1 : 0)
                .text("service", filter.service().orElse(""))
                .text("prefix", filter.idPrefix())
                .text("beyond", filter.idPrefix() + BEYOND_IDS)
                .text("error", filter.error().isEmpty() ? "" : "%" + escaped(filter.error()) + "%")
                .number("limit", limit + 1);
        TransactionRow.Reader reader = new TransactionRow.Reader();
        link.query(filter.stuck() ? listStuck : list, args, reader::add);
        return TransactionPage.of(reader.records(), limit);
    }

    private static long ago(long now, Duration age) {
        return age.compareTo(SINCE_EPOCH_MAX) > 0 ? 0 : now - LockRow.micros(age);
    }

    private static String escaped(String part) {
        return part.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }

    List<TransactionEvent> history(Link link, TransactionId gid) throws SQLException {
        return link.query(
                history,
                new Args().text("gid", gid.text()),
                row -> new TransactionEvent(
                        LockRow.instant(row.getLong("happened_at")),
                        row.getString("what"),
                        row.getString("actor"),
                        row.getString("detail")));
    }

    /** Forgets; must run in a transaction. */
    int purge(Link link, Optional<String> service, Duration retention, int limit) throws SQLException {
        Args args = new Args().number("retention", LockRow.micros(retention)).number("limit", limit);
        service.ifPresent(name -> args.text("service", name));
        List<Args> old = link.query(
                service.isEmpty() ? purges.lock() : purges.lockOfService(),
                args,
                row -> branchesFrom(new TransactionId(row.getString("gid")), 0));
        batch(link, branchDelete, old);
        batch(link, purges.events(), old);
        batch(link, purges.delete(), old);
        return old.size();
    }

    private static void batch(Link link, Sql sql, List<Args> all) throws SQLException {
        if (!all.isEmpty()) {
            link.batch(sql, all);
        }
    }
}
