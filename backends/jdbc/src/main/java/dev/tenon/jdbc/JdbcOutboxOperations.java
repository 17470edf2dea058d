package dev.tenon.jdbc;

import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxMessage.State;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask of the rows of {@code tenon_outbox}: reads without locks, and what is done to dead letters.
 * Thread-safe.
 */
final class JdbcOutboxOperations implements OutboxOperations {
    /** The statements that look at several lanes have room for so many. */
    private static final int LANES_AT_ONCE = 20;

    private final SqlCalls sql;
    private final JdbcOutboxStore store;
    private final Sql name;
    private final Sql summary;
    private final List<Sql> seen;
    private final Sql laneHeads;
    private final Sql laneCounts;
    private final Sql laneList;
    private final Sql deadPage;
    private final Sql show;
    private final Sql content;

    JdbcOutboxOperations(SqlCalls sql, Dialect dialect, JdbcOutboxStore store) {
        this.sql = sql;
        this.store = store;
        this.name = dialect.sql(SqlStatement.OUTBOX_NAME);
        this.summary = dialect.sql(SqlStatement.OUTBOX_SUMMARY);
        this.seen = List.of(
                dialect.sql(SqlStatement.OUTBOX_SEEN_DUE),
                dialect.sql(SqlStatement.OUTBOX_SEEN_LATER),
                dialect.sql(SqlStatement.OUTBOX_SEEN_DEAD));
        this.laneHeads = dialect.sql(SqlStatement.OUTBOX_LANE_HEADS);
        this.laneCounts = dialect.sql(SqlStatement.OUTBOX_LANE_COUNTS);
        this.laneList = dialect.sql(SqlStatement.OUTBOX_LANE_LIST);
        this.deadPage = dialect.sql(SqlStatement.OUTBOX_DEAD_PAGE);
        this.show = dialect.sql(SqlStatement.OUTBOX_SHOW);
        this.content = dialect.sql(SqlStatement.OUTBOX_CONTENT);
    }

    @Override
    public List<OutboxSummary> outboxes(String after, int limit) {
        requirePage(limit);
        return sql.run((link, doubt) -> {
            List<OutboxSummary> found = new ArrayList<>();
            Optional<String> next = next(link, after);
            while (next.isPresent() && found.size() < limit) {
                found.add(summary(link, next.get()));
                next = next(link, next.get());
            }
            return found;
        });
    }

    private Optional<String> next(Link link, String after) throws SQLException {
        return link.query(name, new Args().text("after", after), row -> row.getString(1)).stream()
                .findFirst();
    }

    @Override
    public OutboxSummary summary(String outbox) {
        return sql.run((link, doubt) -> summary(link, outbox));
    }

    private OutboxSummary summary(Link link, String outbox) throws SQLException {
        Args wish = new Args().text("outbox", outbox).number("limit", (long) COUNT_MAX);
        return link.query(
                        summary,
                        wish,
                        row -> new OutboxSummary(
                                outbox,
                                number(row, "late")
                                        .filter(micros -> micros >= 0)
                                        .map(micros -> Duration.of(micros, ChronoUnit.MICROS)),
                                row.getInt("waiting"),
                                row.getInt("dead"),
                                instant(row, "died")))
                .get(0);
    }

    /** The messages of a lane that were seen; those without a key are together by their target. */
    private record Group(@Nullable String lane, String target, List<Long> numbers) {}

    @Override
    public List<OutboxLane> lanes(String outbox, int limit) {
        requirePage(limit);
        Args wish = new Args().text("outbox", outbox).number("limit", (long) LOOK_MAX);
        return sql.run((link, doubt) -> {
            Map<String, Group> groups = new HashMap<>();
            for (Sql statement : seen) {
                link.query(statement, wish, row -> {
                    @Nullable String lane = row.getString("lane");
                    String target = row.getString("target");
                    groups.computeIfAbsent(
                                    lane == null ? "to " + target : lane,
                                    key -> new Group(lane, target, new ArrayList<>()))
                            .numbers()
                            .add(row.getLong("id"));
                    return true;
                });
            }
            // A number is greater than those of all that were enqueued before, so the least is the oldest.
            groups.values().forEach(group -> group.numbers().sort(null));
            List<Group> oldest = groups.values().stream()
                    .sorted(Comparator.comparing(group -> group.numbers().get(0)))
                    .limit(limit)
                    .toList();
            Map<String, OutboxLane> keyed = lanes(
                    link,
                    oldest.stream().map(Group::lane).filter(Objects::nonNull).toList());
            List<OutboxLane> lanes = new ArrayList<>();
            for (Group group : oldest) {
                Optional<OutboxLane> lane = group.lane() == null
                        ? withoutKey(link, group)
                        : Optional.ofNullable(keyed.get(group.lane())); // none: sent meanwhile
                lane.ifPresent(lanes::add);
            }
            return lanes;
        });
    }

    private Optional<OutboxLane> withoutKey(Link link, Group group) throws SQLException {
        Args first = new Args().number("id", group.numbers().get(0));
        int others = Math.min(COUNT_MAX, group.numbers().size() - 1);
        return link.query(show, first, JdbcOutboxOperations::message).stream()
                .findFirst()
                .map(head -> new OutboxLane(head.outbox(), head.target(), head.key(), head, others));
    }

    /** Lanes by their hashes, a few at a time; without those that have no message any more. */
    private Map<String, OutboxLane> lanes(Link link, List<String> hashes) throws SQLException {
        Map<String, OutboxLane> lanes = new HashMap<>();
        for (int from = 0; from < hashes.size(); from += LANES_AT_ONCE) {
            Args some = new Args().number("limit", COUNT_MAX + 1L);
            for (int i = 0; i < LANES_AT_ONCE; i++) {
                some.text("n" + i, from + i < hashes.size() ? hashes.get(from + i) : "");
            }
            Map<String, Integer> counts = new HashMap<>();
            int first = from;
            link.query(laneCounts, some, row -> {
                int place = first + row.getInt("place");
                return place < hashes.size() && counts.put(hashes.get(place), row.getInt("messages")) == null;
            });
            link.query(laneHeads, some, row -> {
                String hash = row.getString("lane");
                OutboxMessage head = message(row);
                int others = Math.max(0, counts.getOrDefault(hash, 1) - 1);
                lanes.put(hash, new OutboxLane(head.outbox(), head.target(), head.key(), head, others));
                return hash;
            });
        }
        return lanes;
    }

    private static Args laneArgs(String lane, long after, long limit) {
        return new Args().text("lane", lane).number("after", after).number("limit", limit);
    }

    @Override
    public Optional<OutboxLane> lane(String outbox, String target, String key) {
        String lane = OutboxText.lane(outbox, target, key);
        return sql.run(
                (link, doubt) -> Optional.ofNullable(lanes(link, List.of(lane)).get(lane)));
    }

    @Override
    public List<OutboxMessage> messages(Lane lane, long after, int limit) {
        requirePage(limit);
        String hash = OutboxText.lane(lane.outbox(), lane.target(), lane.key());
        return sql.run(
                (link, doubt) -> link.query(laneList, laneArgs(hash, after, limit), JdbcOutboxOperations::message));
    }

    @Override
    public List<OutboxMessage> deadLetters(String outbox, DeadLetterFilter filter, long after, int limit) {
        requirePage(limit);
        Args wish = new Args()
                .text("outbox", outbox)
                .text("target", filter.target().orElse(""))
                .text("key", filter.key().orElse(""))
                .text("type", filter.type().orElse(""))
                .number("after", after)
                .number("limit", (long) limit);
        return sql.run((link, doubt) -> link.query(deadPage, wish, JdbcOutboxOperations::message));
    }

    @Override
    public Optional<OutboxMessage> find(long number) {
        Args wish = new Args().number("id", number);
        return sql.run((link, doubt) -> link.query(show, wish, JdbcOutboxOperations::message)).stream()
                .findFirst();
    }

    @Override
    public Optional<Content> content(long number) {
        Args wish = new Args().number("id", number);
        return sql
                .run((link, doubt) -> link.query(
                        content,
                        wish,
                        row -> new Content(
                                row.getBytes("head"),
                                row.getInt("size") <= HEAD_BYTES,
                                OutboxText.headers(row.getString("headers")))))
                .stream()
                .findFirst();
    }

    @Override
    public boolean replay(String outbox, long number, String by, String why) {
        return store.replay(outbox, number, by, why);
    }

    @Override
    public boolean discard(String outbox, long number, String by, String why) {
        return store.discard(outbox, number, by, why);
    }

    private static OutboxMessage message(ResultSet row) throws SQLException {
        return new OutboxMessage(
                row.getString("outbox"),
                row.getLong("id"),
                row.getString("message_id"),
                row.getString("target"),
                Optional.ofNullable(row.getString("message_key")),
                row.getString("message_type"),
                state(row.getString("closed"), row.getInt("behind")),
                row.getInt("attempts"),
                instant(row, "created_at").orElse(Instant.EPOCH),
                Duration.of(Math.max(0, row.getLong("age")), ChronoUnit.MICROS),
                instant(row, "due_at"),
                instant(row, "ended_at"),
                row.getInt("size"),
                OutboxText.history(row.getString("history")));
    }

    private static State state(@Nullable String closed, int behind) {
        if (closed == null) {
            return behind == 1 ? State.BEHIND : State.WAITING;
        }
        return switch (closed) {
            case "dead" -> State.DEAD;
            case "sent" -> State.SENT;
            case "discarded" -> State.DISCARDED;
            default -> throw new IllegalStateException("A message is closed as \"" + closed + "\"");
        };
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        return number(row, column).map(micros -> Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }

    private static Optional<Long> number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(value);
    }

    private static void requirePage(int limit) {
        if (limit < 1 || limit > PAGE_MAX) {
            throw new IllegalArgumentException("limit: 1 to " + PAGE_MAX + ", not " + limit);
        }
    }
}
