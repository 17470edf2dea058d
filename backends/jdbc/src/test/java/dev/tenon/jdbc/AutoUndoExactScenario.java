package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What automatic undo would have undone wrongly, had it taken the statement at its word: undone exactly, or refused
 * before it runs; the same on every database.
 */
abstract class AutoUndoExactScenario {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final String t = "exact_" + UUID.randomUUID().toString().substring(0, 8);
    private JdbcBackend backend;
    private Transactions transactions;
    private AtTransactions at;

    abstract JdbcBackend open();

    abstract DataSource source();

    /** The column of a key that the database counts. */
    abstract String counted();

    @BeforeEach
    void begin() throws Exception {
        backend = open();
        Map<String, AtResource> databases = Map.of("db", backend.autoUndo(source()));
        transactions = TransactionEngine.over(
                backend.transactions(),
                AtTransactions.participants(databases),
                TransactionOptions.DEFAULT.withService(t));
        at = AtTransactions.over(transactions, databases);
        run("CREATE TABLE " + t + " (id BIGINT NOT NULL PRIMARY KEY, place INT NOT NULL UNIQUE, name VARCHAR(50))");
        for (int id = 1; id <= 8; id++) {
            run("INSERT INTO " + t + " (id, place, name) VALUES (" + id + ", " + id + ", 'n" + id + "')");
        }
    }

    @AfterEach
    void end() {
        transactions.close();
        backend.close();
    }

    /** On one connection. */
    void run(String... statements) throws Exception {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    List<String> rows(String table) throws Exception {
        List<String> rows = new ArrayList<>();
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM " + table + " ORDER BY 1")) {
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    values.add(row.getString(i));
                }
                rows.add(String.join("|", values));
            }
        }
        return rows;
    }

    /** What a branch does. */
    @FunctionalInterface
    interface Work {
        void on(Connection connection) throws Exception;
    }

    /** Commits the branch, and aborts the whole. */
    TransactionRecord aborted(Work work) throws Exception {
        AtTransaction tx = at.begin(Duration.ofMinutes(1));
        try (tx) {
            Connection connection = tx.connection("db");
            work.on(connection);
            connection.commit();
        }
        return transactions.await(tx.gid(), PATIENCE);
    }

    void assertUndone(String table, Work work) throws Exception {
        List<String> before = rows(table);
        TransactionRecord tx = aborted(work);
        assertThat(tx.state()).as(tx.suspended().toString()).isEqualTo(TransactionState.ABORTED);
        assertThat(rows(table)).isEqualTo(before);
    }

    /** As {@link #refused}, of what only the database's own names tell. */
    void refusedToRun(String... statements) throws Exception {
        assertUndone(t, connection -> {
            for (String sql : statements) {
                try (Statement statement = connection.createStatement();
                        PreparedStatement prepared = connection.prepareStatement(sql)) {
                    assertThatThrownBy(() -> statement.execute(sql))
                            .as(sql)
                            .isInstanceOf(SQLFeatureNotSupportedException.class);
                    assertThatThrownBy(prepared::execute).as(sql).isInstanceOf(SQLFeatureNotSupportedException.class);
                }
            }
        });
    }

    void refused(String... statements) throws Exception {
        assertUndone(t, connection -> {
            for (String sql : statements) {
                try (Statement statement = connection.createStatement()) {
                    assertThatThrownBy(() -> statement.execute(sql))
                            .as(sql)
                            .isInstanceOf(SQLFeatureNotSupportedException.class);
                    assertThatThrownBy(() -> connection.prepareStatement(sql))
                            .as(sql)
                            .isInstanceOf(SQLFeatureNotSupportedException.class);
                }
            }
        });
    }

    @Test
    void whatAParserAndADatabaseMayReadInTwoWaysIsRefused() throws Exception {
        refused(
                "UPDATE " + t + " SET name = 'x' WHERE id = 1; DELETE FROM " + t,
                "SELECT 1; DELETE FROM " + t,
                "SELECT 1 /*! ; DELETE FROM " + t + " */",
                "UPDATE " + t + " SET name = 'x' WHERE id = 1 /*M! OR 1 = 1 */",
                "UPDATE " + t + " SET name = '\\', place = 7 WHERE name = ' OR 1 = 1 OR name = '' WHERE id = 1",
                "UPDATE " + t + " SET place = 9--1\n WHERE id = 1",
                "SELECT id INTO " + t + "_copy FROM " + t,
                "WITH d AS (DELETE FROM " + t + " RETURNING id) SELECT id FROM d",
                "(WITH d AS (DELETE FROM " + t + " RETURNING id) SELECT id FROM d)",
                "(SELECT id INTO " + t + "_copy FROM " + t + ")",
                "SELECT id INTO " + t + "_copy FROM " + t + " UNION SELECT 9",
                "REPLACE INTO " + t + " (id, place, name) VALUES (1, 1, 'x')",
                "INSERT INTO " + t + " SET id = 100, place = 100, name = 'x'");
    }

    @Test
    void oneStatementMayEndWithASemicolon() throws Exception {
        assertUndone(t, connection -> {
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate("UPDATE " + t + " SET name = 'it''s -- no comment' WHERE id < 3;"))
                        .isEqualTo(2);
                assertThat(statement.getUpdateCount()).isEqualTo(2);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE %s SET name = 'changed' WHERE %s < .5",
                "DELETE FROM %s WHERE %s < .5",
                "UPDATE %s SET name = 'changed' WHERE id = FLOOR(1 + 8 * %s)"
            })
    void aConditionThatIsNotStableChangesTheRowsThatWereRead(String template) throws Exception {
        for (int round = 0; round < 5; round++) {
            assertUndone(t, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate(template.formatted(t, random()));
                }
            });
        }
    }

    String random() {
        return "RANDOM()";
    }

    @Test
    void formsOfStatementsThatAreTaken() throws Exception {
        assertUndone(t, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(60);
                statement.closeOnCompletion();
                assertThat(statement.execute("UPDATE " + t + " AS x SET name = 'a' WHERE x.id = 1"))
                        .isFalse();
                assertThat(statement.getUpdateCount()).isEqualTo(1);
                assertThat(statement.getMoreResults()).isFalse();
                assertThat(statement.getUpdateCount()).as("no more").isEqualTo(-1);
                assertThat(statement.executeLargeUpdate("DELETE FROM " + t + " WHERE " + t + ".id = 2"))
                        .isEqualTo(1);
                statement.setFetchSize(2);
                assertThat(statement.executeUpdate(
                                "/* why */ update " + t + " set name = 'b' where id in (3, 4) -- so"))
                        .isEqualTo(2);
                try (ResultSet row = statement.executeQuery("SELECT id FROM " + t + " WHERE name = 'b' FOR UPDATE")) {
                    assertThat(row.next()).isTrue();
                }
            }
        });
    }

    @Test
    void theConnectionStaysWhereItIs() throws Exception {
        assertUndone(t, connection -> {
            connection.setSchema(connection.getSchema());
            connection.setCatalog(connection.getCatalog());
            assertThatThrownBy(() -> connection.setSchema("elsewhere"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(() -> connection.setCatalog("elsewhere"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
        });
    }

    @Test
    void noWayLeadsToTheConnectionOfTheDriver() throws Exception {
        assertUndone(t, connection -> {
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThatThrownBy(() -> connection.getMetaData().unwrap(Object.class))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
            try (ResultSet tables = connection.getMetaData().getTables(null, null, "no such", null)) {
                assertThat(tables.getStatement()).isNull();
            }
            String query = "SELECT id, name FROM " + t;
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                assertThat(row.getStatement()).isSameAs(statement);
                assertThat(statement.getConnection()).isSameAs(connection);
                assertThatThrownBy(() -> row.unwrap(ResultSet.class))
                        .isInstanceOf(SQLFeatureNotSupportedException.class);
            }
            try (PreparedStatement statement = connection.prepareStatement(query);
                    ResultSet row = statement.executeQuery()) {
                assertThat(row.getStatement()).isSameAs(statement);
                assertThat(statement.getConnection()).isSameAs(connection);
                assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM " + t))
                        .isInstanceOf(SQLFeatureNotSupportedException.class);
            }
            int scroll = ResultSet.TYPE_SCROLL_INSENSITIVE;
            int updatable = ResultSet.CONCUR_UPDATABLE;
            assertThatThrownBy(() -> connection.createStatement(scroll, updatable))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(() -> connection.prepareStatement(query, scroll, updatable))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
        });
    }

    @Test
    void aPlaceThatMovedForAllIsMovedBack() throws Exception {
        assertUndone(t, connection -> {
            for (int id = 1; id <= 8; id++) { // one at a time: each database takes that
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("UPDATE " + t + " SET place = place - 1 WHERE id = " + id);
                }
            }
        });
    }

    @Test
    void aUniqueValueThatWasTakenMeanwhileSuspendsWithTheRowAndTheConstraint() throws Exception {
        TransactionRecord tx = aborted(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE " + t + " SET place = 100 WHERE id = 3");
            }
            connection.commit();
            run("INSERT INTO " + t + " (id, place, name) VALUES (50, 3, 'taken')");
        });
        assertThat(tx.state()).isEqualTo(TransactionState.ABORTING);
        assertThat(tx.suspended().orElseThrow()).contains("(3)").containsIgnoringCase("place");
        run("DELETE FROM " + t + " WHERE id = 50");
        transactions.retry(tx.gid(), "operator");
        assertThat(transactions.await(tx.gid(), PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(rows(t)).contains("3|3|n3");
    }

    @Test
    void generatedKeysAreToldHoweverTheyAreAskedFor() throws Exception {
        String table = t + "_k";
        run("CREATE TABLE " + table + " (id " + counted() + ", name VARCHAR(50))");
        String sql = "INSERT INTO " + table + " (name) VALUES (?)";
        assertUndone(table, connection -> {
            try (PreparedStatement byFlag = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
                    PreparedStatement byName = connection.prepareStatement(sql, new String[] {"id"});
                    Statement plain = connection.createStatement()) {
                byFlag.setString(1, "a");
                assertThat(byFlag.executeUpdate()).isEqualTo(1);
                long first = key(byFlag);
                byName.setString(1, "b");
                byName.execute();
                assertThat(key(byName)).isEqualTo(first + 1);
                byName.setString(1, "c");
                byName.executeUpdate();
                assertThat(key(byName)).isEqualTo(first + 2);
                plain.executeUpdate("INSERT INTO " + table + " (name) VALUES ('d')", Statement.RETURN_GENERATED_KEYS);
                assertThat(key(plain)).isEqualTo(first + 3);
                plain.execute("INSERT INTO " + table + " (name) VALUES ('e')", new String[] {"id"});
                assertThat(key(plain)).isEqualTo(first + 4);
            }
        });
    }

    private static long key(Statement statement) throws Exception {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            assertThat(keys.isBeforeFirst()).isTrue();
            assertThat(keys.next()).isTrue();
            assertThat(keys.getStatement().getConnection()).isSameAs(statement.getConnection());
            long key = keys.getLong(1);
            assertThat(keys.next()).isFalse();
            return key;
        }
    }

    @Test
    void aTableWhoseNameMatchesAnothersAsAPatternHasItsOwnColumns() throws Exception {
        run("CREATE TABLE " + t + "_1 (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(50))");
        run("CREATE TABLE " + t + "x1 (id BIGINT NOT NULL PRIMARY KEY, other VARCHAR(50))");
        run("INSERT INTO " + t + "_1 VALUES (1, 'a')");
        assertUndone(t + "_1", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("DELETE FROM " + t + "_1 WHERE id = 1");
            }
        });
    }

    @Test
    void childrenThatGoWithTheirParentAreRefused() throws Exception {
        run("CREATE TABLE " + t + "_kid (id INT PRIMARY KEY, parent BIGINT, FOREIGN KEY (parent) REFERENCES " + t
                + " (id) ON DELETE CASCADE)");
        run("INSERT INTO " + t + "_kid VALUES (1, 3)");
        assertUndone(t + "_kid", connection -> {
            try (Statement statement = connection.createStatement()) {
                assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM " + t + " WHERE id = 3"))
                        .isInstanceOf(SQLFeatureNotSupportedException.class)
                        .hasMessageContaining("follow");
                statement.executeUpdate("UPDATE " + t + " SET name = 'x' WHERE id = 3");
            }
        });
        run("DROP TABLE " + t + "_kid");
    }

    @Test
    void rowsThatReferToEachOtherComeBackInAnyOrder() throws Exception {
        String table = t + "_tree";
        run("CREATE TABLE " + table + " (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES " + table + " (id))");
        for (int id = 1; id <= 4; id++) {
            run("INSERT INTO " + table + " VALUES (" + id + ", " + (id == 1 ? "NULL" : id - 1) + ")");
        }
        assertUndone(table, connection -> {
            try (Statement statement = connection.createStatement()) {
                for (int id = 4; id >= 1; id--) {
                    statement.executeUpdate("DELETE FROM " + table + " WHERE id = " + id);
                }
            }
        });
    }

    @Test
    void rowsThatReferToEachOtherInARingComeBack() throws Exception {
        String table = t + "_ring";
        run("CREATE TABLE " + table + " (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES " + table + " (id))");
        run("INSERT INTO " + table + " VALUES (1, NULL), (2, 1), (3, 2)");
        run("UPDATE " + table + " SET up = 3 WHERE id = 1");
        assertUndone(table, connection -> {
            try (Statement statement = connection.createStatement()) {
                deleteRing(statement, table);
                statement.executeUpdate("INSERT INTO " + table + " (id, up) VALUES (9, 9)");
            }
        });
    }

    /** Deletes a ring of rows: where the database looks at each row by itself, it has to be opened first. */
    void deleteRing(Statement statement, String table) throws Exception {
        statement.executeUpdate("UPDATE " + table + " SET up = NULL WHERE id = 1");
        for (int id = 3; id >= 1; id--) {
            statement.executeUpdate("DELETE FROM " + table + " WHERE id = " + id);
        }
    }
}
