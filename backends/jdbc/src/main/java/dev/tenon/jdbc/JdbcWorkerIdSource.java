package dev.tenon.jdbc;

import dev.tenon.Names;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.machine.WorkerTable.Settling;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Worker IDs as rows of {@code tenon_worker}. A claim is rare: it reads the group, lets {@link WorkerTable} choose, and
 * writes the one slot unless that has changed meanwhile. Renewals and releases are one statement each.
 */
final class JdbcWorkerIdSource implements WorkerIdSource {
    private static final int CLAIMS_MAX = 200;

    private final SqlCalls sql;
    private final String group;
    private final Sql readGroup;
    private final Sql insertGroup;
    private final Sql settle;
    private final Sql slots;
    private final Sql insert;
    private final Sql forget;
    private final Sql write;
    private final Sql renew;
    private final Sql release;

    JdbcWorkerIdSource(SqlCalls sql, Dialect dialect, String group) {
        this.sql = sql;
        this.group = Names.requireValid("worker group", group);
        this.readGroup = dialect.sql(SqlStatement.WORKER_GROUP);
        this.insertGroup = dialect.sql(SqlStatement.WORKER_GROUP_INSERT);
        this.settle = dialect.sql(SqlStatement.WORKER_GROUP_SETTLE);
        this.slots = dialect.sql(SqlStatement.WORKER_SLOTS);
        this.insert = dialect.sql(SqlStatement.WORKER_INSERT);
        this.forget = dialect.sql(SqlStatement.WORKER_FORGET);
        this.write = dialect.sql(SqlStatement.WORKER_CLAIM);
        this.renew = dialect.sql(SqlStatement.WORKER_RENEW);
        this.release = dialect.sql(SqlStatement.WORKER_RELEASE);
    }

    /** A group as it is, and the database's incarnation and time. */
    private record Found(Optional<WorkerTable.Group> group, String incarnation, Instant now) {}

    private record Slot(WorkerTable.Entry entry, Instant now) {}

    private record Kind(String layout, int capacity, Settling settling, String incarnation, Instant now) {}

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        return sql.run((link, doubt) -> claim(link, claim)).orThrow(group);
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        WorkerClaim.requireLease(lease);
        Args args = slot(slot).number("lease", LockRow.micros(lease)).number("fence", millisUp(fence));
        return sql.run((link, doubt) -> link.update(renew, args)) == 1;
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Args args = slot(slot).number("lastUsed", millisUp(lastUsed));
        sql.run((link, doubt) -> link.update(release, args));
    }

    @Override
    public List<WorkerSlotView> census() {
        Found found = sql.run((link, doubt) -> find(link));
        return WorkerTable.of(found.group().stream().toList()).census(group, found.now());
    }

    private WorkerTable.Claimed claim(Link link, WorkerClaim claim) throws SQLException {
        for (int i = 0; i < CLAIMS_MAX; i++) {
            Found found = find(link);
            WorkerTable table = WorkerTable.of(found.group().stream().toList());
            WorkerTable.Claimed claimed = table.claim(group, claim, found.incarnation(), found.now());
            WorkerTable.Group after = table.export().get(0);
            if (!settle(link, found.group(), after)) {
                continue;
            }
            if (claimed.slot().isEmpty()) {
                return claimed;
            }
            int slot = claimed.slot().get().workerId();
            WorkerTable.Entry entry = entry(after, slot).orElseThrow();
            if (write(link, found.group().flatMap(g -> entry(g, slot)), entry, found.now())) {
                return claimed;
            }
        }
        throw new SQLException("Worker group \"" + group + "\" changed " + CLAIMS_MAX + " times meanwhile", "40001");
    }

    private boolean settle(Link link, Optional<WorkerTable.Group> before, WorkerTable.Group after) throws SQLException {
        if (before.isPresent() && before.get().settling().equals(after.settling())) {
            return true;
        }
        Args args = new Args()
                .text("name", group)
                .number("settledAt", after.settling().settledAt().toEpochMilli())
                .number("longestLease", LockRow.micros(after.settling().longestLease()));
        if (before.isEmpty()) {
            args.text("layout", after.layout()).number("capacity", after.capacity());
            return link.update(insertGroup, args) == 1;
        }
        Settling known = before.get().settling();
        args.text("incarnationBefore", known.incarnation())
                .number("settledAtBefore", known.settledAt().toEpochMilli())
                .number("longestLeaseBefore", LockRow.micros(known.longestLease()));
        return link.update(settle, args) == 1;
    }

    private boolean write(Link link, Optional<WorkerTable.Entry> before, WorkerTable.Entry after, Instant now)
            throws SQLException {
        if (before.isEmpty() || before.get().claim() != after.claim()) {
            link.update(
                    forget,
                    new Args()
                            .text("name", group)
                            .text("request", after.requestId())
                            .number("now", now.toEpochMilli()));
        }
        Args args = new Args()
                .text("name", group)
                .number("worker", after.workerId())
                .number("claim", after.claim())
                .text("request", after.requestId())
                .text("owner", after.owner())
                .number("since", after.since().toEpochMilli())
                .number("leaseEnd", after.leaseEnd().toEpochMilli())
                .number("floor", after.floor().toEpochMilli())
                .number("fence", after.fence().toEpochMilli());
        if (before.isEmpty()) {
            return link.update(insert, args) == 1;
        }
        args.number("claimBefore", before.get().claim())
                .number("leaseEndBefore", before.get().leaseEnd().toEpochMilli());
        return link.update(write, args) == 1;
    }

    private Found find(Link link) throws SQLException {
        Args args = new Args().text("name", group);
        Kind kind = link.query(readGroup, args, JdbcWorkerIdSource::kind).get(0);
        if (kind.layout().isEmpty()) {
            return new Found(Optional.empty(), kind.incarnation(), kind.now());
        }
        List<Slot> found = link.query(slots, args, JdbcWorkerIdSource::read);
        Instant now = found.isEmpty() ? kind.now() : found.get(0).now();
        List<WorkerTable.Entry> entries = found.stream().map(Slot::entry).toList();
        WorkerTable.Group known =
                new WorkerTable.Group(group, kind.layout(), kind.capacity(), kind.settling(), entries);
        return new Found(Optional.of(known), kind.incarnation(), now);
    }

    private static Kind kind(ResultSet row) throws SQLException {
        Settling settling = new Settling(
                text(row, "incarnation"),
                Instant.ofEpochMilli(row.getLong("settled_at")),
                Duration.of(row.getLong("longest_lease"), ChronoUnit.MICROS));
        return new Kind(
                text(row, "layout"),
                row.getInt("capacity"),
                settling,
                text(row, "incarnation_now"),
                instantOfMicros(row));
    }

    private static Optional<WorkerTable.Entry> entry(WorkerTable.Group in, int workerId) {
        return in.entries().stream().filter(e -> e.workerId() == workerId).findFirst();
    }

    private Args slot(WorkerSlot slot) {
        return new Args().text("name", group).number("worker", slot.workerId()).number("claim", slot.claim());
    }

    private static Slot read(ResultSet row) throws SQLException {
        WorkerTable.Entry entry = new WorkerTable.Entry(
                row.getInt("worker_id"),
                row.getLong("claim"),
                text(row, "request"),
                row.getString("owner"),
                Instant.ofEpochMilli(row.getLong("since")),
                Instant.ofEpochMilli(row.getLong("lease_end")),
                Instant.ofEpochMilli(row.getLong("floor_at")),
                Instant.ofEpochMilli(row.getLong("fence_at")));
        return new Slot(entry, instantOfMicros(row));
    }

    private static String text(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    private static Instant instantOfMicros(ResultSet row) throws SQLException {
        return Instant.EPOCH.plus(row.getLong("now_at"), ChronoUnit.MICROS);
    }

    private static long millisUp(Instant instant) {
        long millis = instant.toEpochMilli();
        return Instant.ofEpochMilli(millis).isBefore(instant) ? millis + 1 : millis;
    }
}
