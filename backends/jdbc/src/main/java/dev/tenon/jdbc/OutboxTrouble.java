package dev.tenon.jdbc;

import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.StuckLane;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the messages that fail again and again, and what they hold back. Immutable. */
final class OutboxTrouble {
    private final Sql stuck;
    private final Sql waiting;

    OutboxTrouble(Dialect dialect) {
        this.stuck = dialect.sql(SqlStatement.OUTBOX_STUCK);
        this.waiting = dialect.sql(SqlStatement.OUTBOX_WAITING);
    }

    /** A message, and the name of the lane that it begins; none without a key. */
    private record Stuck(@Nullable String lane, boolean dead, OutboxEntry entry, Instant since, Duration age) {}

    private record Length(@Nullable String lane, int messages) {}

    List<StuckLane> stuck(Link link, Args wish, Optional<StuckLane> after) throws SQLException {
        wish.number(
                        "since",
                        after.map(last -> ChronoUnit.MICROS.between(Instant.EPOCH, last.since()))
                                .orElse(0L))
                .number("after", after.map(last -> last.oldest().number()).orElse(0L));
        List<Stuck> found = link.query(
                stuck,
                wish,
                row -> new Stuck(
                        row.getString("lane"),
                        row.getString("closed") != null,
                        JdbcOutboxStore.entry(row),
                        Instant.EPOCH.plus(row.getLong("failing_since"), ChronoUnit.MICROS),
                        Duration.of(Math.max(0, row.getLong("age")), ChronoUnit.MICROS)));
        List<String> lanes =
                found.stream().map(Stuck::lane).filter(Objects::nonNull).toList();
        Map<String, Integer> lengths = new TreeMap<>();
        for (Args names : OutboxLanes.names(lanes)) {
            link.query(waiting, names, row -> new Length(row.getString(1), row.getInt(2)))
                    .forEach(length -> {
                        if (length.lane() != null) { // of what was not needed
                            lengths.put(length.lane(), length.messages());
                        }
                    });
        }
        List<StuckLane> all = new ArrayList<>();
        for (Stuck each : found) {
            int behind = each.lane() == null ? 0 : Math.max(0, lengths.getOrDefault(each.lane(), 1) - 1);
            all.add(new StuckLane(each.entry(), each.dead(), each.since(), each.age(), behind));
        }
        return all;
    }
}
