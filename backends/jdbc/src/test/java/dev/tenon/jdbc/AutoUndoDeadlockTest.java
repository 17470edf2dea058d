package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A deadlock that takes a whole branch back, and that the application catches. */
class AutoUndoDeadlockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Map<On, String> WAITING = Map.of(
            On.H2,
            "SELECT session_id FROM information_schema.sessions WHERE blocker_id IS NOT NULL",
            On.MARIADB,
            "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_query LIKE 'UPDATE dead%'",
            On.MYSQL,
            "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_query LIKE 'UPDATE dead%'",
            On.POSTGRES,
            "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE dead%'"
                    + " AND datname = current_database()");

    /** What meets it: a query, a statement, and what automatic undo does for one. */
    enum By {
        QUERY,
        STATEMENT,
        ROW_LOCK
    }

    static Stream<Arguments> all() {
        return WAITING.keySet().stream()
                .flatMap(on -> Stream.of(By.values())
                        .filter(by -> on != On.H2 || by != By.ROW_LOCK) // which does not wait there
                        .map(by -> Arguments.of(on, by)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void nothingRunsAndNothingIsCommittedUntilItIsRolledBack(On on, By by) throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(on)) {
            bench.run("CREATE TABLE dead (id INT PRIMARY KEY, n INT)", "CREATE TABLE heavy (id INT PRIMARY KEY)");
            bench.run("INSERT INTO dead VALUES (1, 0), (2, 0), (3, 0)");
            String first = on == On.H2 ? "1|0" : "1|5";
            TransactionId gid = AutoUndoBench.newId();
            try (Connection branch = bench.connect(gid)) {
                meet(bench, on, by, branch);

                assertThatThrownBy(() -> AutoUndoBench.update(branch, "UPDATE dead SET n = 9 WHERE id = 3"))
                        .isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> AutoUndoBench.query(branch, "SELECT n FROM dead"))
                        .isInstanceOf(SQLException.class);
                assertThatThrownBy(branch::commit).isInstanceOf(SQLException.class);
                assertThatThrownBy(branch::commit).as("nor by another try").isInstanceOf(SQLException.class);
                branch.rollback();

                assertThat(bench.query("SELECT id, n FROM dead ORDER BY id")).containsExactly(first, "2|5", "3|0");
                AutoUndoBench.update(branch, "UPDATE dead SET n = n + 1 WHERE id <> 2");
                branch.commit();
            }
            assertThat(bench.query("SELECT before_rows FROM tenon_undo")).hasSize(1);
            bench.cancel(gid);
            bench.assertNothingIsLeft(gid);
            assertThat(bench.query("SELECT id, n FROM dead ORDER BY id")).containsExactly(first, "2|5", "3|0");
        }
    }

    /**
     * Somebody else has the second row, or its lock, and waits for the first; whose is the branch's, which comes to the
     * second.
     */
    private static void meet(AutoUndoBench bench, On on, By by, Connection branch) throws Exception {
        try (Connection other = bench.open()) {
            other.setAutoCommit(false);
            beginHeavily(on, other);
            if (by == By.ROW_LOCK) {
                String key;
                try (Statement statement = other.createStatement()) {
                    UndoTable table = UndoTable.read(other, dialect(on), "dead");
                    key = table.lockKey(UndoRow.parse("1|2|id 1|2 \n").get(0));
                    statement.executeUpdate("INSERT INTO tenon_row_lock (row_key, gid, branch, about) VALUES ('" + key
                            + "', 'x', 'x', 'x')");
                }
            } else {
                AutoUndoBench.update(other, "UPDATE dead SET n = 5 WHERE id = 2");
            }
            Act first = () -> AutoUndoBench.update(other, "UPDATE dead SET n = 5 WHERE id = 1");
            Act second = by == By.QUERY
                    ? () -> AutoUndoBench.query(branch, "SELECT n FROM dead WHERE id = 2 FOR UPDATE")
                    : () -> AutoUndoBench.update(branch, "UPDATE dead SET n = 1 WHERE id = 2");
            AutoUndoBench.update(branch, "UPDATE dead SET n = 1 WHERE id = 1"); // the younger, which loses on H2
            boolean waitsFirst = on == On.H2; // there, who waits finds out
            CompletableFuture<Optional<SQLException>> waiting = failure(waitsFirst ? second : first);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !bench.query(WAITING.get(on)).isEmpty());
            Optional<SQLException> closing =
                    failure(waitsFirst ? first : second).get(60, TimeUnit.SECONDS);
            Optional<SQLException> waited = waiting.get(60, TimeUnit.SECONDS);
            Optional<SQLException> lost = waitsFirst ? waited : closing;
            assertThat(lost.orElseThrow().getSQLState()).isIn("40001", "40P01");
            if (on == On.H2) { // which keeps what a query has met: the other waits in vain
                other.rollback();
                AutoUndoBench.update(other, "UPDATE dead SET n = 5 WHERE id = 2");
            } else {
                assertThat(waited).isEmpty();
            }
            if (by == By.ROW_LOCK) {
                AutoUndoBench.update(other, "UPDATE dead SET n = 5 WHERE id = 2");
                AutoUndoBench.update(other, "DELETE FROM tenon_row_lock WHERE gid = 'x'");
            }
            other.commit();
        }
    }

    private interface Act {
        void run() throws SQLException;
    }

    private static CompletableFuture<Optional<SQLException>> failure(Act act) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                act.run();
                return Optional.empty();
            } catch (SQLException e) {
                return Optional.of(e);
            }
        });
    }

    /** So that the database chooses the branch, and not this, to end a deadlock. */
    private static void beginHeavily(On on, Connection other) throws SQLException {
        switch (on) {
            case POSTGRES -> AutoUndoBench.update(other, "SET deadlock_timeout = '60s'");
            case MARIADB, MYSQL -> {
                for (int i = 0; i < 100; i++) {
                    AutoUndoBench.update(other, "INSERT INTO heavy VALUES (" + i + ")");
                }
            }
            default -> {}
        }
    }

    private static Dialect dialect(On on) {
        return switch (on) {
            case MARIADB -> MariaDbDialect.MARIADB;
            case MYSQL -> MySqlDialect.MYSQL;
            case H2 -> H2Dialect.H2;
            default -> PostgresDialect.POSTGRESQL;
        };
    }
}
