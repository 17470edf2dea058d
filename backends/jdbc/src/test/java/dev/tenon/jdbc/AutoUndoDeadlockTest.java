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
            On.MARIADB,
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
        return WAITING.keySet().stream().flatMap(on -> Stream.of(By.values()).map(by -> Arguments.of(on, by)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void nothingRunsAndNothingIsCommittedUntilItIsRolledBack(On on, By by) throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(on)) {
            bench.run("CREATE TABLE dead (id INT PRIMARY KEY, n INT)", "CREATE TABLE heavy (id INT PRIMARY KEY)");
            bench.run("INSERT INTO dead VALUES (1, 0), (2, 0), (3, 0)");
            TransactionId gid = AutoUndoBench.newId();
            try (Connection branch = bench.connect(gid)) {
                AutoUndoBench.update(branch, "UPDATE dead SET n = 1 WHERE id = 1");
                meet(bench, on, by, branch);

                assertThatThrownBy(() -> AutoUndoBench.update(branch, "UPDATE dead SET n = 9 WHERE id = 3"))
                        .isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> AutoUndoBench.query(branch, "SELECT n FROM dead"))
                        .isInstanceOf(SQLException.class);
                assertThatThrownBy(branch::commit).isInstanceOf(SQLException.class);
                assertThatThrownBy(branch::commit).as("nor by another try").isInstanceOf(SQLException.class);
                branch.rollback();

                assertThat(bench.query("SELECT id, n FROM dead ORDER BY id")).containsExactly("1|5", "2|5", "3|0");
                AutoUndoBench.update(branch, "UPDATE dead SET n = n + 1 WHERE id <> 2");
                branch.commit();
            }
            assertThat(bench.query("SELECT before_rows FROM tenon_undo")).hasSize(1);
            bench.cancel(gid);
            bench.assertNothingIsLeft(gid);
            assertThat(bench.query("SELECT id, n FROM dead ORDER BY id")).containsExactly("1|5", "2|5", "3|0");
        }
    }

    /** Somebody else has the second row, or its lock, and waits for the first; whose is the branch's, which comes to the second. */
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
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return AutoUndoBench.update(other, "UPDATE dead SET n = 5 WHERE id = 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !bench.query(WAITING.get(on)).isEmpty());
            assertThatThrownBy(() -> {
                        if (by == By.QUERY) {
                            AutoUndoBench.query(branch, "SELECT n FROM dead WHERE id = 2 FOR UPDATE");
                        } else {
                            AutoUndoBench.update(branch, "UPDATE dead SET n = 1 WHERE id = 2");
                        }
                    })
                    .isInstanceOf(SQLException.class)
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isIn("40001", "40P01");
            assertThat(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
            if (by == By.ROW_LOCK) {
                AutoUndoBench.update(other, "UPDATE dead SET n = 5 WHERE id = 2");
                AutoUndoBench.update(other, "DELETE FROM tenon_row_lock WHERE gid = 'x'");
            }
            other.commit();
        }
    }

    /** So that the database chooses the branch, and not this, to end a deadlock. */
    private static void beginHeavily(On on, Connection other) throws SQLException {
        switch (on) {
            case POSTGRES -> AutoUndoBench.update(other, "SET deadlock_timeout = '60s'");
            case MARIADB -> {
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
            default -> PostgresDialect.POSTGRESQL;
        };
    }
}
