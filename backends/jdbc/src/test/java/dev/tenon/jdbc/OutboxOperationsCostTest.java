package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a look of an operator reads of a table with 100 000 messages, of which ten are dead and one lane is long. */
class OutboxOperationsCostTest {
    private static final int MANY = 100_000;
    private static final int LONG_LANE = 20_000;

    /** Each statement, and how many rows of the table or an index it may read. */
    private static final Map<SqlStatement, Integer> BOUNDS = new TreeMap<>(Map.of(
            SqlStatement.OUTBOX_NAME, 10,
            SqlStatement.OUTBOX_SUMMARY, 3 * OutboxOperations.COUNT_MAX,
            SqlStatement.OUTBOX_SEEN_DUE, 3 * OutboxOperations.LOOK_MAX,
            SqlStatement.OUTBOX_SEEN_LATER, 3 * OutboxOperations.LOOK_MAX,
            SqlStatement.OUTBOX_SEEN_DEAD, 100,
            SqlStatement.OUTBOX_LANE_HEADS, 200,
            SqlStatement.OUTBOX_LANE_COUNTS, 3 * OutboxOperations.COUNT_MAX,
            SqlStatement.OUTBOX_LANE_LIST, 300,
            SqlStatement.OUTBOX_DEAD_PAGE, 100,
            SqlStatement.OUTBOX_SHOW, 10));

    @Test
    void onMariaDb() throws SQLException {
        reads(MariaDbServer.shared(), "SELECT seq AS n FROM seq_1_to_" + MANY);
    }

    @Test
    void onMySql() throws SQLException {
        reads(MySqlServer.shared(), MySqlNumbers.upTo(MANY));
    }

    private static void reads(SqlAddress at, String numbers) throws SQLException {
        try (JdbcBackend backend = JdbcBackend.connect(at.url(), at.user(), at.password());
                Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            backend.outbox();
            fill(statement, numbers);
            statement.execute("ANALYZE TABLE tenon_outbox");
            Dialect dialect = Dialect.ofUrl(at.url());
            for (Map.Entry<SqlStatement, Integer> each : BOUNDS.entrySet()) {
                statement.execute("FLUSH STATUS");
                rows(connection, "", dialect.sql(each.getKey()));
                assertThat(read(statement)).as(each.getKey().name()).isLessThan(each.getValue());
            }
            assertShown(backend.outbox().operations());
        }
    }

    @Test
    void onPostgres() throws SQLException {
        SqlAddress at = PostgresServer.shared().newDatabase();
        try (JdbcBackend backend = JdbcBackend.connect(at.url(), at.user(), at.password());
                Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            backend.outbox();
            fill(statement, "SELECT generate_series(1, " + MANY + ") AS n");
            statement.execute("ANALYZE tenon_outbox");
            Dialect dialect = Dialect.ofUrl(at.url());
            for (Map.Entry<SqlStatement, Integer> each : BOUNDS.entrySet()) {
                List<String> plan =
                        rows(connection, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ", dialect.sql(each.getKey()));
                assertThat(plan).as(each.getKey().name()).noneMatch(step -> step.contains("Seq Scan"));
                assertThat(plan.stream().filter(step -> step.contains("Rows Removed by Filter")))
                        .as(String.join("\n", plan))
                        .allSatisfy(step -> assertThat(Integer.parseInt(step.replaceAll("\\D+", "")))
                                .isLessThan(each.getValue()));
            }
            assertShown(backend.outbox().operations());
        }
    }

    /** Half of them due, half later; one lane long; ten dead, the last of all. */
    private static void fill(Statement statement, String numbers) throws SQLException {
        statement.execute(
                "INSERT INTO tenon_outbox (outbox, lane, due_at, behind, claim, attempts, closed, ended_at, created_at,"
                        + " message_id, target, message_key, message_type, headers, body, history) SELECT 'o',"
                        + " CASE WHEN n <= " + LONG_LANE + " THEN 'lane' ELSE NULL END,"
                        + " CASE WHEN n > " + (MANY - 10)
                        + " THEN NULL WHEN n % 2 = 0 THEN 1000 + n ELSE 9000000000000000 + n END,"
                        + " CASE WHEN n > 1 AND n <= " + LONG_LANE + " THEN 1 ELSE 0 END, 0, 0,"
                        + " CASE WHEN n > " + (MANY - 10) + " THEN 'dead' ELSE NULL END,"
                        + " CASE WHEN n > " + (MANY - 10) + " THEN 1000 ELSE NULL END, 1000, 'm', 't',"
                        + " CASE WHEN n <= " + LONG_LANE + " THEN 'k' ELSE NULL END, 't', '', '', '' FROM (" + numbers
                        + ") numbers");
    }

    private static void assertShown(OutboxOperations operations) {
        OutboxSummary summary = operations.outboxes("", 10).get(0);
        assertThat(summary.waiting()).isEqualTo(OutboxOperations.COUNT_MAX);
        assertThat(summary.deadLetters()).isEqualTo(10);
        assertThat(operations.deadLetters("o", DeadLetterFilter.ALL, 0, 3))
                .extracting(OutboxMessage::number)
                .isSorted();
        OutboxLane first = operations.lanes("o", 10).get(0);
        assertThat(first.waiting()).isEqualTo(OutboxOperations.COUNT_MAX);
    }

    private static long read(Statement statement) throws SQLException {
        long sum = 0;
        try (ResultSet status = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
            while (status.next()) {
                sum += status.getLong(2);
            }
        }
        return sum;
    }

    /** The first column of what a statement gives. */
    private static List<String> rows(Connection connection, String before, Sql sql) throws SQLException {
        Args args = new Args()
                .text("outbox", "o")
                .text("lane", "lane")
                .text("target", "")
                .text("key", "")
                .text("type", "")
                .number("id", 7L)
                .number("limit", sql.id().contains("list") || sql.id().contains("page") ? 100L : 1000L);
        if (sql.id().contains("name")) {
            args.text("after", "");
        } else {
            args.number("after", 0L);
        }
        for (int i = 0; i < 20; i++) {
            args.text("n" + i, i == 0 ? "lane" : "");
        }
        List<String> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(before + sql.text())) {
            args.bind(sql, statement);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(found.getString(1));
                }
            }
        }
        return rows;
    }
}
