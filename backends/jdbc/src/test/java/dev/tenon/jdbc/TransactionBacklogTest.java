package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.LocalTransactionStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A log with a backlog: 20 of 100 transactions are due, 60 have ended, 10 wait for an operator and 10 are due later; so
 * many in all as {@code -Dtenon.test.backlog} says. Whatever recovery asks of it looks at what it takes, and not at the
 * rest.
 */
class TransactionBacklogTest {
    private static final int ROWS = Integer.getInteger("tenon.test.backlog", 100_000);
    private static final int LIMIT = 20;
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Args ARGS = new Args()
            .text("service", "backlog")
            .number("limit", LIMIT)
            .number("look", LIMIT * SqlCalls.LOOK_FURTHER)
            .number("retention", 0)
            .text("after", "")
            .text("state", "")
            .text("kind", "")
            .number("at", Long.MAX_VALUE)
            .number("from", 0)
            .number("until", Long.MAX_VALUE)
            .number("services", 0)
            .text("prefix", "")
            .text("beyond", "~")
            .text("error", "");

    /** Columns of a row by its number, which is n. */
    private static final String COLUMNS = """
            'saga', 'backlog', 'order/1', CASE WHEN MOD(n, 100) BETWEEN 20 AND 79 THEN 'COMMITTED' ELSE 'ACTIVE' END,
            CASE WHEN MOD(n, 100) BETWEEN 80 AND 89 THEN 'why' END, 1, 1, n, 2000000000000000, n,
            CASE WHEN MOD(n, 100) < 20 THEN n WHEN MOD(n, 100) > 89 THEN 3000000000000000 END,
            CASE WHEN MOD(n, 100) BETWEEN 20 AND 79 THEN n END, 'PT1S 2.0 PT5M', 'digest', '{}'""";

    private static final String INSERT = """
            INSERT INTO tenon_tx (gid, kind, service, name, state, suspended, version, epoch, created_at, deadline_at, due_at,
              claim_at, ended_at, retry, digest, payload) SELECT %s,""" + COLUMNS + " FROM %s";

    @Test
    void postgresReadsWhatItTakes() throws SQLException {
        SqlAddress at = PostgresServer.shared();
        try (JdbcBackend backend = TwoBackends.connect(at);
                Connection connection = at.connect()) {
            LocalTransactionStore store = backend.transactions();
            execute(
                    connection,
                    INSERT.formatted("'t' || lpad(n::text, 9, '0')", "generate_series(1, " + ROWS + ") n"),
                    "ANALYZE tenon_tx");
            Dialect dialect = Dialect.ofUrl(at.url());
            assertThat(planOfPostgres(connection, dialect.sql(SqlStatement.TX_CLAIM_LOCK)))
                    .contains("Index Scan using tenon_tx_claim")
                    .doesNotContain("Seq Scan", "Sort");
            assertThat(planOfPostgres(connection, dialect.sql(SqlStatement.TX_DUE)))
                    .contains("using tenon_tx_claim")
                    .doesNotContain("Seq Scan", "Sort");
            assertThat(planOfPostgres(connection, dialect.sql(SqlStatement.TX_PURGE_LOCK)))
                    .contains("Index Scan using tenon_tx_ended")
                    .doesNotContain("Seq Scan", "Sort");
            assertThat(planOfPostgres(connection, dialect.sql(SqlStatement.TX_LIST)))
                    .contains("tenon_tx_created")
                    .doesNotContain("Seq Scan on tenon_tx ");
            assertThat(planOfPostgres(connection, dialect.sql(SqlStatement.TX_LIST_STUCK)))
                    .contains("tenon_tx_stuck")
                    .doesNotContain("Seq Scan on tenon_tx ");
            takesTheOldest(store);
        }
    }

    @Test
    void mariaDbReadsWhatItTakes() throws SQLException {
        readsWhatItTakes(MariaDbServer.shared(), "SELECT seq AS n FROM seq_1_to_" + ROWS);
    }

    @Test
    void mySqlReadsWhatItTakes() throws SQLException {
        readsWhatItTakes(
                MySqlServer.shared().with("sessionVariables=explain_format=TRADITIONAL"), MySqlNumbers.upTo(ROWS));
    }

    private static void readsWhatItTakes(SqlAddress at, String numbers) throws SQLException {
        try (JdbcBackend backend = TwoBackends.connect(at);
                Connection connection = at.connect()) {
            LocalTransactionStore store = backend.transactions();
            execute(
                    connection,
                    INSERT.formatted("CONCAT('t', LPAD(n, 9, '0'))", "(" + numbers + ") s"),
                    "ANALYZE TABLE tenon_tx");
            Dialect dialect = Dialect.ofUrl(at.url());
            Sql lock = dialect.sql(SqlStatement.TX_CLAIM_LOCK);
            assertThat(planOf(connection, lock)).containsExactly("null", "PRIMARY", "tenon_tx_claim");
            // Looks further along the index, keeps what it has found in a table of its own, and goes to the rows that
            // it takes.
            assertReads(connection, lock, (SqlCalls.LOOK_FURTHER + 2L) * LIMIT + 5);
            for (SqlStatement each : List.of(SqlStatement.TX_DUE, SqlStatement.TX_PURGE_LOCK)) {
                String index = each == SqlStatement.TX_DUE ? "tenon_tx_claim" : "tenon_tx_ended";
                assertThat(planOf(connection, dialect.sql(each))).containsExactly(index);
                assertReads(connection, dialect.sql(each), 2L * LIMIT);
            }
            takesTheOldest(store);
        }
    }

    private static void takesTheOldest(LocalTransactionStore store) {
        for (int round = 0; round < 3; round++) {
            List<TransactionRecord> claimed = store.claim(new Claim("backlog", "me", LEASE, LIMIT));
            assertThat(claimed).hasSize(LIMIT);
            assertThat(claimed.get(0).gid().text()).isEqualTo("t%09d".formatted(round * 100 + 1));
        }
        assertThat(store.claim(new Claim("another", "me", LEASE, LIMIT))).isEmpty();
        assertThat(store.purge(Duration.ZERO, LIMIT)).isEqualTo(LIMIT);
        assertThat(store.list(TransactionFilter.ALL.thatAreStuck(), "", LIMIT).transactions())
                .hasSize(LIMIT)
                .allMatch(tx -> tx.suspended().isPresent());
    }

    private static String planOfPostgres(Connection connection, Sql sql) throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + sql.text())) {
            ARGS.bind(sql, explain);
            StringBuilder plan = new StringBuilder();
            try (ResultSet rows = explain.executeQuery()) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            return plan.toString();
        }
    }

    /** Which index it takes for each table; it sorts nothing. */
    private static List<String> planOf(Connection connection, Sql sql) throws SQLException {
        List<String> keys = new ArrayList<>();
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + sql.text())) {
            ARGS.bind(sql, explain);
            try (ResultSet row = explain.executeQuery()) {
                while (row.next()) {
                    keys.add(String.valueOf(row.getString("key")));
                    assertThat(String.valueOf(row.getString("Extra")))
                            .as(sql.id())
                            .doesNotContain("filesort");
                }
            }
        }
        return keys;
    }

    /** By the rows that it has really gone to. */
    private static void assertReads(Connection connection, Sql sql, long most) throws SQLException {
        execute(connection, "FLUSH STATUS");
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            ARGS.bind(sql, statement);
            statement.executeQuery().close();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler\\_read%'")) {
            long sum = 0;
            while (row.next()) {
                sum += row.getLong(2);
            }
            assertThat(sum).as(sql.id()).isLessThanOrEqualTo(most);
        }
    }

    private static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }
}
