package dev.tenon.jdbc;

import dev.tenon.Names;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.jdbc.Shortcuts.Shortcut;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Sequences as rows of {@code tenon_range}. {@code next} is one statement; what is rare is read, put through {@link
 * RangeTable}, and written back unless the sequence has moved meanwhile.
 */
final class JdbcRangeStore implements RangeStore {
    private static final int WRITES_MAX = 100;

    private final SqlCalls sql;
    private final Shortcut next;
    private final Sql read;
    private final Sql insert;
    private final Sql write;

    JdbcRangeStore(SqlCalls sql, Dialect dialect, Shortcuts shortcuts) {
        this.sql = sql;
        this.next = shortcuts.of(SqlStatement.RANGE_NEXT);
        this.read = dialect.sql(SqlStatement.RANGE_READ);
        this.insert = dialect.sql(SqlStatement.RANGE_INSERT);
        this.write = dialect.sql(SqlStatement.RANGE_WRITE);
    }

    /** @param given how many numbers the last call got */
    private record Row(RangeTable.Entry entry, long given) {}

    @Override
    public IdRange next(String name, long count) {
        Names.requireValid("sequence name", name);
        IdRange.requireCount(count);
        Optional<Row> row = sql.run((link, doubt) -> {
            Sql atOnce = next.sql();
            return atOnce == null
                    ? Optional.empty()
                    : link
                            .query(
                                    atOnce,
                                    new Args().text("name", name).number("count", count),
                                    found -> row(name, found))
                            .stream()
                            .findFirst();
        });
        return row.isPresent() ? given(row.get()) : apply(name, table -> table.next(name, count));
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        apply(name, table -> {
            table.define(name, definition);
            return true;
        });
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        Names.requireValid("sequence name", name);
        return sql.run((link, doubt) -> find(link, name)).map(row -> row.entry().definition());
    }

    @Override
    public long raiseTo(String name, long floor) {
        return apply(name, table -> table.raiseTo(name, floor));
    }

    private <T> T apply(String name, Function<RangeTable, T> call) {
        Names.requireValid("sequence name", name);
        return sql.run((link, doubt) -> apply(link, name, call));
    }

    private <T> T apply(Link link, String name, Function<RangeTable, T> call) throws SQLException {
        for (int i = 0; i < WRITES_MAX; i++) {
            Optional<RangeTable.Entry> before = find(link, name).map(Row::entry);
            RangeTable table = RangeTable.of(before.stream().toList());
            T answer = null;
            RangeExhaustedException exhausted = null;
            try {
                answer = call.apply(table);
            } catch (RangeExhaustedException e) {
                exhausted = e; // raising a sequence above its max uses it up: that too is to be written
            }
            List<RangeTable.Entry> after = table.export();
            if (after.isEmpty() || write(link, before, after.get(0))) {
                if (exhausted != null) {
                    throw exhausted;
                }
                return Objects.requireNonNull(answer);
            }
        }
        throw new SQLException("Sequence \"" + name + "\" moved " + WRITES_MAX + " times meanwhile", "40001");
    }

    private boolean write(Link link, Optional<RangeTable.Entry> before, RangeTable.Entry after) throws SQLException {
        if (before.isEmpty()) {
            RangeDefinition definition = after.definition();
            return link.update(
                            insert,
                            new Args()
                                    .text("name", after.name())
                                    .number("start", definition.start())
                                    .number("step", definition.step())
                                    .number("max", definition.max())
                                    .number("last", after.last()))
                    == 1;
        }
        return before.get().equals(after)
                || link.update(
                                write,
                                new Args()
                                        .text("name", after.name())
                                        .number("before", before.get().last())
                                        .number("last", after.last()))
                        == 1;
    }

    private Optional<Row> find(Link link, String name) throws SQLException {
        return link.query(read, new Args().text("name", name), row -> row(name, row)).stream()
                .findFirst();
    }

    private static IdRange given(Row row) {
        RangeTable.Entry entry = row.entry();
        if (row.given() == 0) {
            throw new RangeExhaustedException("Sequence \"" + entry.name() + "\" is used up: its last number is "
                    + entry.last() + " and its max " + entry.definition().max());
        }
        long step = entry.definition().step();
        return new IdRange(entry.last() - (row.given() - 1) * step, row.given(), step);
    }

    private static Row row(String name, ResultSet row) throws SQLException {
        RangeDefinition definition =
                new RangeDefinition(row.getLong("start_value"), row.getLong("step_size"), row.getLong("max_value"));
        return new Row(new RangeTable.Entry(name, definition, row.getLong("last_given")), row.getLong("given"));
    }
}
