package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Statements of many rows: images, locks and undo in batches. */
class AutoUndoBatchTest {
    private static final int ROWS = 2_000;

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void manyRowsAreUndone(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            List<String> before = rows(bench);
            for (String sql : List.of(
                    "UPDATE many SET n = n + 1, name = 'x'",
                    "DELETE FROM many",
                    "UPDATE many SET place = place + 5000")) {
                TransactionId gid = AutoUndoBench.newId();
                try (Connection connection = bench.connect(gid)) {
                    assertThat(AutoUndoBench.update(connection, sql)).isEqualTo(ROWS);
                    connection.commit();
                }
                bench.cancel(gid);
                assertThat(rows(bench)).as(sql).isEqualTo(before);
                bench.assertNothingIsLeft(gid);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void manyNewRowsAreUndone(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            List<String> before = rows(bench);
            TransactionId gid = AutoUndoBench.newId();
            try (Connection connection = bench.connect(gid);
                    PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO many (id, place, n, name) VALUES (?, ?, 0, 'new')")) {
                for (int id = ROWS + 1; id <= ROWS + 300; id++) {
                    insert.setInt(1, id);
                    insert.setInt(2, id);
                    insert.executeUpdate();
                }
                AutoUndoBench.update(connection, "UPDATE many SET name = 'changed' WHERE id > 1990");
                connection.commit();
            }
            assertThat(bench.query("SELECT kind FROM tenon_undo ORDER BY number"))
                    .as("what follows each other is noted together")
                    .containsExactly("insert", "update");
            bench.cancel(gid);
            assertThat(rows(bench)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void batchesOfJdbcAreUndone(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            List<String> before = rows(bench);
            TransactionId gid = AutoUndoBench.newId();
            try (Connection connection = bench.connect(gid)) {
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO many (id, place, n, name) VALUES (?, ?, 0, 'new')")) {
                    for (int id = ROWS + 1; id <= ROWS + 30; id++) {
                        insert.setInt(1, id);
                        insert.setInt(2, id);
                        insert.addBatch();
                    }
                    assertThat(insert.executeBatch()).hasSize(30).containsOnly(1);
                    assertThat(insert.executeBatch()).isEmpty();
                    assertThatThrownBy(insert::getGeneratedKeys).hasMessageContaining("run its inserts one by one");
                }
                try (PreparedStatement update = connection.prepareStatement("UPDATE many SET n = ? WHERE id <= ?")) {
                    update.setInt(1, 7);
                    update.setInt(2, 3);
                    update.addBatch();
                    update.setInt(1, 8);
                    update.setInt(2, 2);
                    update.addBatch();
                    assertThat(update.executeLargeBatch()).containsExactly(3, 2);
                }
                try (Statement two = connection.createStatement()) {
                    two.addBatch("DELETE FROM many WHERE id = 3");
                    two.addBatch("DELETE FROM many WHERE id > " + ROWS);
                    assertThat(two.executeBatch()).containsExactly(1, 30);
                    two.addBatch("UPDATE many SET n = 9 WHERE id = 1");
                    two.addBatch("DROP TABLE many");
                    assertThatThrownBy(two::executeBatch)
                            .isInstanceOfSatisfying(
                                    BatchUpdateException.class,
                                    e -> assertThat(e.getUpdateCounts()).containsExactly(1));
                }
                connection.commit();
            }
            assertThat(bench.query("SELECT n FROM many WHERE id <= 3 ORDER BY id"))
                    .containsExactly("9", "8");
            bench.cancel(gid);
            assertThat(rows(bench)).isEqualTo(before);
        }
    }

    /** No row can be put back before its neighbour: one by one, the last first. */
    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void rowsThatAConstraintStopsComeOneByOne(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            bench.run("DELETE FROM many WHERE id > 120");
            List<String> before = rows(bench);
            TransactionId gid = AutoUndoBench.newId();
            try (Connection connection = bench.connect(gid)) {
                for (int id = 1; id <= 120; id++) {
                    AutoUndoBench.update(connection, "UPDATE many SET place = place - 1 WHERE id = " + id);
                }
                connection.commit();
            }
            bench.cancel(gid);
            assertThat(rows(bench)).isEqualTo(before);

            TransactionId stopped = AutoUndoBench.newId();
            try (Connection connection = bench.connect(stopped)) {
                AutoUndoBench.update(connection, "UPDATE many SET place = place + 5000");
                connection.commit();
            }
            bench.run("INSERT INTO many (id, place, n, name) VALUES (9000, 77, 0, 'taken')");
            assertThat(bench.canceled(stopped))
                    .isInstanceOfSatisfying(
                            Reply.Refused.class,
                            refused -> assertThat(refused.toString()).contains("many(77)"));
            bench.run("DELETE FROM many WHERE id = 9000");
            bench.cancel(stopped);
            assertThat(rows(bench)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void aRowOfAnotherTransactionAmongManyIsNamedAtOnce(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId owner = AutoUndoBench.newId();
            try (Connection connection = bench.connect(owner)) {
                AutoUndoBench.update(connection, "UPDATE many SET n = 7 WHERE id = 1234");
                connection.commit();
            }
            try (Connection connection = bench.connect(AutoUndoBench.newId())) {
                assertThatThrownBy(() -> AutoUndoBench.update(connection, "UPDATE many SET n = 8"))
                        .isInstanceOf(SQLTransientException.class)
                        .hasMessageContaining("many(1234)")
                        .hasMessageContaining(owner.text())
                        .extracting(e -> ((SQLException) e).getSQLState())
                        .isEqualTo("40001");
            }
            bench.cancel(owner);
        }
    }

    /** What somebody else has changed among many is told, and nothing is undone. */
    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void aRowThatAnotherHasChangedAmongManyIsTold(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId gid = AutoUndoBench.newId();
            try (Connection connection = bench.connect(gid)) {
                AutoUndoBench.update(connection, "UPDATE many SET n = 7");
                connection.commit();
            }
            bench.run("UPDATE many SET n = 9 WHERE id = 1500", "DELETE FROM many WHERE id = 3");
            List<String> left = rows(bench);
            assertThat(bench.canceled(gid).toString())
                    .contains("many(1500): n is 9 and was left as 7")
                    .contains("many(3): is gone");
            assertThat(rows(bench)).isEqualTo(left);
        }
    }

    private static AutoUndoBench bench(On on) throws SQLException {
        AutoUndoBench bench = new AutoUndoBench(on);
        bench.run(
                "CREATE TABLE many (id BIGINT PRIMARY KEY, place INT NOT NULL UNIQUE, n INT NOT NULL, name VARCHAR(20))",
                "INSERT INTO many (id, place, n, name) VALUES "
                        + IntStream.rangeClosed(1, ROWS)
                                .mapToObj(id -> "(" + id + ", " + id + ", 0, 'n" + id + "')")
                                .collect(Collectors.joining(", ")));
        return bench;
    }

    private static List<String> rows(AutoUndoBench bench) throws SQLException {
        return bench.query("SELECT id, place, n, name FROM many ORDER BY id");
    }
}
