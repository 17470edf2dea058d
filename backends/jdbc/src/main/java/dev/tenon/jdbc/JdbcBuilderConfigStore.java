package dev.tenon.jdbc;

import dev.tenon.TenonException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.BuilderSegment;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code t_id_builder_config}, which belongs to its users: it is read and moved on as they do, in one short
 * transaction that locks the row and writes it under the version that it had. Thread-safe; calls block.
 */
final class JdbcBuilderConfigStore implements BuilderConfigStore {
    private static final String TABLE = "t_id_builder_config";
    private static final Set<String> NO_TABLE = Set.of("42S02", "42S03", "42S04", "42P01");

    private final SqlCalls sql;
    private final Sql list;
    private final Sql read;
    private final Sql lock;
    private final Sql write;
    private final String script;

    /** @param sql that does not look for Tenon's own tables: none of them is needed */
    JdbcBuilderConfigStore(SqlCalls sql, Dialect dialect) {
        this.sql = sql;
        this.list = dialect.sql(SqlStatement.BUILDER_LIST);
        this.read = dialect.sql(SqlStatement.BUILDER_READ);
        this.lock = dialect.sql(SqlStatement.BUILDER_LOCK);
        this.write = dialect.sql(SqlStatement.BUILDER_WRITE);
        this.script = dialect.place("id-builder.sql");
    }

    /** A row as it is, which may be nonsense. */
    private record Row(
            int code, @Nullable Long threshold, @Nullable Long step, String bizCode, int version, int isSeq) {
        static Row of(int code, ResultSet row) throws SQLException {
            String bizCode = row.getString("biz_code");
            return new Row(
                    code,
                    number(row, "current_threshold"),
                    number(row, "step"),
                    bizCode == null ? "" : bizCode,
                    row.getInt("version"),
                    row.getInt("is_seq"));
        }

        /** What the row says, if that can be followed. */
        BuilderConfig config() {
            if (step == null || step < 1 || step > Integer.MAX_VALUE) {
                throw wrong("step", step, "1 to " + Integer.MAX_VALUE);
            }
            start();
            return new BuilderConfig(code, bizCode, step.intValue(), isSeq == 0);
        }

        long start() {
            if (threshold == null || threshold < 0) {
                throw wrong("current_threshold", threshold, "0 or more: where the next segment begins");
            }
            return threshold;
        }

        BuilderSegment segment() {
            BuilderConfig config = config();
            if (start() > Long.MAX_VALUE - config.step()) {
                throw new RangeExhaustedException("Code " + code + " is used up: a segment of " + config.step()
                        + " from " + start() + " would end above " + Long.MAX_VALUE);
            }
            return new BuilderSegment(config, start());
        }

        private MisconfiguredCodeException wrong(String column, @Nullable Long value, String allowed) {
            return new MisconfiguredCodeException("Code " + code + " can't be served: " + column + " of its row in "
                    + TABLE + " is " + value + ", and must be " + allowed);
        }

        private static @Nullable Long number(ResultSet row, String column) throws SQLException {
            long value = row.getLong(column);
            return row.wasNull() ? null : value;
        }
    }

    /** What is done with a row. */
    @FunctionalInterface
    private interface Step<T> {
        T run(Link link, Row row) throws SQLException;
    }

    @Override
    public List<BuilderConfig> configs() {
        List<Row> rows;
        try {
            rows = sql.run((link, doubt) -> link.query(list, new Args(), row -> Row.of(row.getInt("id"), row)));
        } catch (TenonException e) {
            if (isForWantOfTheTable(e)) {
                return List.of();
            }
            throw e;
        }
        List<BuilderConfig> configs = new ArrayList<>();
        for (Row row : rows) {
            try {
                configs.add(row.config());
            } catch (MisconfiguredCodeException e) {
                // said to those who ask for the code
            }
        }
        return configs;
    }

    @Override
    public BuilderConfig config(int code) {
        return known(code, () -> sql.run((link, doubt) -> find(link, read, code).config()));
    }

    @Override
    public BuilderSegment take(int code) {
        return locked(code, (link, row) -> {
            BuilderSegment segment = row.segment();
            move(link, row, segment.first() + segment.config().step());
            return segment;
        });
    }

    @Override
    public long raiseTo(int code, long floor) {
        if (floor == Long.MAX_VALUE) {
            throw new RangeExhaustedException("Code " + code + " has no number above " + floor);
        }
        return locked(code, (link, row) -> {
            long start = Math.max(row.start(), floor + 1);
            if (start != row.start()) {
                move(link, row, start);
            }
            return start;
        });
    }

    private <T> T locked(int code, Step<T> step) {
        return known(
                code, () -> sql.run((link, doubt) -> link.atomically(() -> step.run(link, find(link, lock, code)))));
    }

    private Row find(Link link, Sql statement, int code) throws SQLException {
        List<Row> rows = link.query(statement, new Args().number("code", code), row -> Row.of(code, row));
        if (rows.isEmpty()) {
            throw new UnknownCodeException(
                    "No row of " + TABLE + " has id " + code + ". To define that code: INSERT INTO "
                            + TABLE + " (id, des, init_num, current_threshold, step, biz_code, is_seq) VALUES (" + code
                            + ", 'what it is for', 1, 1, 1000, '', 0)");
        }
        return rows.get(0);
    }

    private void move(Link link, Row row, long threshold) throws SQLException {
        Args args = new Args()
                .number("code", row.code())
                .number("threshold", threshold)
                .number("version", row.version())
                .number("versionAfter", row.version() == Integer.MAX_VALUE ? 0 : row.version() + 1);
        if (link.update(write, args) != 1) {
            throw new SQLException("Code " + row.code() + " was moved by somebody else meanwhile", "40001");
        }
    }

    private <T> T known(int code, Supplier<T> call) {
        try {
            return call.get();
        } catch (TenonException e) {
            if (isForWantOfTheTable(e)) {
                throw new UnknownCodeException(
                        "No code " + code + ": there is no table " + TABLE + " in this database. To make it:"
                                + " JdbcBackend.createIdBuilderTable(), or run " + script,
                        e);
            }
            throw e;
        }
    }

    private static boolean isForWantOfTheTable(TenonException e) {
        return e.getCause() instanceof SQLException cause && NO_TABLE.contains(String.valueOf(cause.getSQLState()));
    }
}
