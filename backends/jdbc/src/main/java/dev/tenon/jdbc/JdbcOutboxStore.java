package dev.tenon.jdbc;

import dev.tenon.Names;
import dev.tenon.tx.Message;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxStore;
import dev.tenon.tx.spi.Settlement;
import dev.tenon.tx.spi.StuckLane;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Messages as rows of {@code tenon_outbox}. A claim locks what is due and then looks for what stands before it in its
 * lane; what can't go yet is put off until the one before it ends ({@link OutboxLanes}). Thread-safe.
 */
final class JdbcOutboxStore implements OutboxStore {
    private static final int PURGE_MAX = 1000;

    private final SqlCalls sql;
    private final Dialect dialect;
    private final OutboxLanes lanes;
    private final OutboxTrouble trouble;
    private final Sql insert;
    private final @Nullable Sql insertAndCommit;
    private final Sql due;
    private final Sql claim;
    private final Sql sent;
    private final Sql remove;
    private final Sql again;
    private final Sql dead;
    private final Sql untried;
    private final Sql deadList;
    private final Sql find;
    private final Sql replay;
    private final Sql discard;
    private final Sql lag;
    private final Sql purgeList;
    private final Sql purge;

    JdbcOutboxStore(SqlCalls sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        this.lanes = new OutboxLanes(dialect);
        this.trouble = new OutboxTrouble(dialect);
        this.insert = dialect.sql(SqlStatement.OUTBOX_INSERT);
        this.insertAndCommit = dialect.ownSql(SqlStatement.OUTBOX_COMMIT);
        this.due = dialect.sql(SqlStatement.OUTBOX_DUE);
        this.claim = dialect.sql(SqlStatement.OUTBOX_CLAIM);
        this.sent = dialect.sql(SqlStatement.OUTBOX_SENT);
        this.remove = dialect.sql(SqlStatement.OUTBOX_REMOVE);
        this.again = dialect.sql(SqlStatement.OUTBOX_AGAIN);
        this.dead = dialect.sql(SqlStatement.OUTBOX_DEAD);
        this.untried = dialect.sql(SqlStatement.OUTBOX_UNTRIED);
        this.deadList = dialect.sql(SqlStatement.OUTBOX_DEAD_LIST);
        this.find = dialect.sql(SqlStatement.OUTBOX_FIND);
        this.replay = dialect.sql(SqlStatement.OUTBOX_REPLAY);
        this.discard = dialect.sql(SqlStatement.OUTBOX_DISCARD);
        this.lag = dialect.sql(SqlStatement.OUTBOX_LAG);
        this.purgeList = dialect.sql(SqlStatement.OUTBOX_PURGE_LIST);
        this.purge = dialect.sql(SqlStatement.OUTBOX_PURGE);
    }

    @Override
    public void insert(Connection connection, String outbox, List<Message> messages) {
        Names.requireValid("outbox name", outbox);
        requireBetween("messages", messages.size(), BATCH_MAX);
        try {
            CallersTransaction.require(connection, "An outbox");
            try (PreparedStatement statement = connection.prepareStatement(insert.text())) {
                for (Message message : messages) {
                    row(outbox, message, Duration.ZERO).bind(insert, statement);
                    if (messages.size() > 1) {
                        statement.addBatch();
                    }
                }
                if (messages.size() > 1) {
                    statement.executeBatch();
                } else {
                    statement.executeUpdate();
                }
            } catch (BatchUpdateException e) {
                throw e.getNextException() == null ? e : e.getNextException();
            }
        } catch (SQLException e) {
            throw CallersTransaction.failed(
                    dialect, e, "the outbox \"" + outbox + "\"", "No outbox \"" + outbox + "\"");
        }
    }

    @Override
    public OptionalLong commit(Connection connection, String outbox, Message message, Duration lease) {
        Names.requireValid("outbox name", outbox);
        if (lease.isNegative()) {
            throw new IllegalArgumentException("A message is its writer's for zero time or more, not " + lease);
        }
        Duration claim = message.key().isEmpty() ? lease : Duration.ZERO;
        try {
            CallersTransaction.require(connection, "An outbox");
            long number = insertAndCommit(connection, row(outbox, message, claim));
            return claim.isZero() ? OptionalLong.empty() : OptionalLong.of(number);
        } catch (SQLException e) {
            throw CallersTransaction.failedToCommit(
                    dialect, e, "the outbox \"" + outbox + "\"", "Nothing was committed");
        }
    }

    private long insertAndCommit(Connection connection, Args row) throws SQLException {
        long number;
        if (insertAndCommit == null) {
            try (PreparedStatement statement =
                    connection.prepareStatement(insert.text(), Statement.RETURN_GENERATED_KEYS)) {
                row.bind(insert, statement);
                statement.executeUpdate();
                try (ResultSet key = statement.getGeneratedKeys()) {
                    key.next();
                    number = key.getLong(1);
                }
            }
        } else {
            Link link = new Link(connection);
            try {
                number = link.query(insertAndCommit, row, id -> id.getLong(1)).get(0);
            } finally {
                link.closeStatements();
            }
        }
        // Where it is committed already, the driver knows, and sends nothing; whoever has lent the connection learns of
        // it.
        connection.commit();
        return number;
    }

    private static Args row(String outbox, Message message, Duration lease) {
        return new Args()
                .number("lease", LockRow.micros(lease))
                .number("claim", lease.isZero() ? 0L : 1L)
                .text("outbox", outbox)
                .text("lane", OutboxText.lane(outbox, message))
                .text("message", message.id())
                .text("target", message.target())
                .text("key", message.key().orElse(null))
                .text("type", message.type())
                .text("headers", OutboxText.headers(message.headers()))
                .bytes("body", message.body());
    }

    @Override
    public Claimed claim(String outbox, Duration lease, int limit) {
        requireBetween("limit", limit, BATCH_MAX);
        Args wish = new Args()
                .text("outbox", outbox)
                .number("limit", (long) limit)
                .number("look", (long) limit * SqlCalls.LOOK_FURTHER);
        return sql.run((link, doubt) -> link.atomically(() -> {
            List<OutboxEntry> found = link.query(due, wish, JdbcOutboxStore::entry);
            OutboxLanes.Choice choice = lanes.choose(link, outbox, found, limit);
            List<Args> claims = new ArrayList<>();
            List<OutboxEntry> claimed = new ArrayList<>();
            for (OutboxEntry entry : choice.go()) {
                claims.add(new Args().number("id", entry.number()).number("lease", LockRow.micros(lease)));
                claimed.add(new OutboxEntry(
                        entry.number(),
                        entry.claim() + 1,
                        entry.attempts() + 1,
                        entry.enqueuedAt(),
                        entry.message(),
                        entry.history()));
            }
            if (!claims.isEmpty()) {
                link.batch(claim, claims);
            }
            claimed.sort(Comparator.comparingLong(OutboxEntry::number));
            // Where nothing has changed the same would be found once more; whoever is at it hints.
            boolean more = found.size() == limit && (!claimed.isEmpty() || choice.putOff() > 0);
            return new Claimed(claimed, more);
        }));
    }

    @Override
    public boolean settle(String outbox, List<Settlement> settlements) {
        requireBetween("settlements", settlements.size(), BATCH_MAX);
        Map<Sql, List<Args>> writes = new HashMap<>();
        Set<String> ended = new TreeSet<>();
        for (Settlement settlement : settlements) {
            write(settlement, writes);
            String lane = OutboxText.lane(outbox, settlement.entry().message());
            if (lane != null && (settlement instanceof Settlement.Sent || settlement instanceof Settlement.Untried)) {
                ended.add(lane);
            }
        }
        return changeAndFree(ended, link -> {
                    for (Map.Entry<Sql, List<Args>> entry : writes.entrySet()) {
                        link.batch(entry.getKey(), entry.getValue());
                    }
                    return true;
                })
                .freed();
    }

    private void write(Settlement settlement, Map<Sql, List<Args>> writes) {
        OutboxEntry entry = settlement.entry();
        Args args = new Args().number("id", entry.number()).number("claim", entry.claim());
        Sql statement;
        if (settlement instanceof Settlement.Sent done) {
            statement = done.kept() ? sent : remove;
        } else if (settlement instanceof Settlement.Again later) {
            statement = again;
            args.number("pause", LockRow.micros(later.pause()))
                    .number("uncounted", later.counts() ? 0L : 1L)
                    .text("line", OutboxText.line("failed", "attempt " + entry.attempts(), later.why()));
        } else if (settlement instanceof Settlement.Dead end) {
            statement = dead;
            args.text("line", OutboxText.line("dead", "attempt " + entry.attempts(), end.why()));
        } else {
            statement = untried;
            boolean keyed = entry.message().key().isPresent();
            args.number("pause", keyed ? LockRow.micros(OutboxLanes.FAR) : 0L).number("behind", keyed ? 1L : 0L);
        }
        writes.computeIfAbsent(statement, key -> new ArrayList<>()).add(args);
    }

    /** What a change has answered, and whether something is due now that was behind it. */
    private record Freed<T>(T answer, boolean freed) {}

    private interface Change<T> {
        T on(Link link) throws SQLException;
    }

    /** Changes rows and frees those behind them in one transaction, so that no crash comes between. */
    private <T> Freed<T> changeAndFree(Set<String> ended, Change<T> change) {
        return sql.run((link, doubt) -> link.atomically(() -> {
            T answer = change.on(link);
            return new Freed<>(answer, lanes.free(link, ended));
        }));
    }

    @Override
    public List<OutboxEntry> dead(String outbox, long after, int limit) {
        requireBetween("limit", limit, BATCH_MAX);
        Args wish = new Args().text("outbox", outbox).number("after", after).number("limit", (long) limit);
        return sql.run((link, doubt) -> link.query(deadList, wish, JdbcOutboxStore::entry));
    }

    @Override
    public List<StuckLane> stuck(String outbox, int attempts, Duration age, Optional<StuckLane> after, int limit) {
        requireBetween("limit", limit, BATCH_MAX);
        return sql.run((link, doubt) -> trouble.stuck(
                link,
                new Args()
                        .text("outbox", outbox)
                        .number("attempts", (long) attempts)
                        .number("age", LockRow.micros(age))
                        .number("limit", (long) limit),
                after));
    }

    @Override
    public Optional<OutboxEntry> find(String outbox, long number) {
        Args wish = new Args().text("outbox", outbox).number("id", number);
        return sql.run((link, doubt) -> link.query(find, wish, JdbcOutboxStore::entry)).stream()
                .findFirst();
    }

    @Override
    public boolean replay(String outbox, long number, String by) {
        return replay(outbox, number, by, "");
    }

    boolean replay(String outbox, long number, String by, String why) {
        Args said = said(outbox, number, OutboxText.line("replayed", by, why));
        return sql.run((link, doubt) -> link.update(replay, said) == 1);
    }

    @Override
    public boolean discard(String outbox, long number, String by) {
        return discard(outbox, number, by, "");
    }

    boolean discard(String outbox, long number, String by, String why) {
        Args said = said(outbox, number, OutboxText.line("discarded", by, why));
        Optional<OutboxEntry> entry = find(outbox, number);
        Set<String> ended = new HashSet<>();
        entry.map(found -> OutboxText.lane(outbox, found.message())).ifPresent(ended::add);
        return changeAndFree(ended, link -> link.update(discard, said) == 1).answer();
    }

    private static Args said(String outbox, long number, String line) {
        return new Args().text("outbox", outbox).number("id", number).text("line", line);
    }

    @Override
    public OutboxOperations operations() {
        return new JdbcOutboxOperations(sql, dialect, this);
    }

    @Override
    public Optional<Duration> lag(String outbox) {
        Args wish = new Args().text("outbox", outbox);
        return sql
                .run((link, doubt) -> link.query(lag, wish, row -> Duration.of(row.getLong(1), ChronoUnit.MICROS)))
                .stream()
                .findFirst();
    }

    @Override
    public int purge(String outbox, Duration age, int limit) {
        requireBetween("limit", limit, PURGE_MAX);
        int sum = 0;
        for (String closed : List.of("sent", "discarded")) {
            Args wish = new Args()
                    .text("outbox", outbox)
                    .text("closed", closed)
                    .number("age", LockRow.micros(age))
                    .number("limit", (long) (limit - sum));
            sum += limit == sum
                    ? 0
                    : sql.run((link, doubt) -> {
                        List<Args> old = link.query(purgeList, wish, row -> new Args().number("id", row.getLong(1)));
                        if (!old.isEmpty()) {
                            link.batch(purge, old);
                        }
                        return old.size();
                    });
        }
        return sum;
    }

    static OutboxEntry entry(ResultSet row) throws SQLException {
        @Nullable String key = row.getString("message_key");
        Message message = new Message(
                row.getString("message_id"),
                row.getString("target"),
                Optional.ofNullable(key),
                row.getString("message_type"),
                row.getBytes("body"),
                OutboxText.headers(row.getString("headers")));
        return new OutboxEntry(
                row.getLong("id"),
                row.getLong("claim"),
                row.getInt("attempts"),
                Instant.EPOCH.plus(row.getLong("created_at"), ChronoUnit.MICROS),
                message,
                OutboxText.history(row.getString("history")));
    }

    private static void requireBetween(String what, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(what + ": 1 to " + most + ", not " + value);
        }
    }
}
