package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.at.AtResource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What MySQL has of its own, or MariaDB too: put back exactly, or refused before it is changed. Each test has tables of
 * its own.
 */
class AutoUndoMySqlTest {
    private static final Map<On, AutoUndoBench> BENCHES = new EnumMap<>(On.class);

    private static AutoUndoBench bench(On on) {
        return BENCHES.computeIfAbsent(on, AutoUndoBench::new);
    }

    @AfterAll
    static void close() {
        BENCHES.values().forEach(AutoUndoBench::close);
        BENCHES.clear();
    }

    /** What a branch does. */
    @FunctionalInterface
    private interface Work {
        void on(Connection connection) throws Exception;
    }

    private static void assertUndone(AutoUndoBench bench, String shown, Work work) throws Exception {
        assertUndone(bench, "", shown, work);
    }

    /** In sessions of this mode. */
    private static void assertUndone(AutoUndoBench bench, String mode, String shown, Work work) throws Exception {
        AtResource resource = bench.by(bench.with("sessionVariables=sql_mode='" + mode + "'"));
        List<String> before = bench.query(shown);
        TransactionId gid = AutoUndoBench.newId();
        try (Connection connection = resource.connect(gid, "b")) {
            work.on(connection);
            connection.commit();
        }
        assertThat(bench.query(shown)).as(mode).isNotEqualTo(before);
        assertThat(AutoUndoBench.end(resource, gid, Operation.CANCEL)).as(mode).isInstanceOf(Reply.Done.class);
        assertThat(bench.query(shown)).as(mode).isEqualTo(before);
        bench.assertNothingIsLeft(gid);
    }

    private static Work statements(String... statements) {
        return connection -> {
            for (String sql : statements) {
                assertThat(AutoUndoBench.update(connection, sql)).as(sql).isPositive();
            }
        };
    }

    /** Refused, and the branch can be committed, as nothing has run. */
    private static void assertRefused(AutoUndoBench bench, String shown, String because, String... statements)
            throws Exception {
        List<String> before = bench.query(shown);
        TransactionId gid = AutoUndoBench.newId();
        try (Connection connection = bench.connect(gid)) {
            for (String sql : statements) {
                assertThatThrownBy(() -> AutoUndoBench.update(connection, sql))
                        .as(sql)
                        .isInstanceOf(SQLFeatureNotSupportedException.class)
                        .hasMessageContaining(because);
            }
            connection.commit();
        }
        bench.confirm(gid);
        assertThat(bench.query(shown)).isEqualTo(before);
        bench.assertNothingIsLeft(gid);
    }

    @Test
    void jsonComesBackWithTheTypesOfItsValuesOrIsRefused() throws Exception {
        AutoUndoBench bench = bench(On.MYSQL);
        bench.run(
                "CREATE TABLE doc (id INT PRIMARY KEY, n INT, doc JSON)",
                "INSERT INTO doc VALUES (1, 0, '{\"b\": [18446744073709551615, 2e2, -0.0, 1e-320], \"a\": \"ü\"}'),"
                        + " (2, 0, JSON_OBJECT('x', 1.50)), (3, 0, JSON_OBJECT('x', TIMESTAMP('2026-01-02 03:04:05'))),"
                        + " (4, 0, JSON_OBJECT('y', JSON_ARRAY(1, x'00ff'))), (5, 0, JSON_OBJECT('x', CAST(5 AS UNSIGNED))),"
                        + " (6, 0, JSON_ARRAY(JSON_OBJECT('z', CURTIME()))), (7, 0, 'null'), (8, 0, NULL), (9, 0, '1.5')");
        String shown = "SELECT id, n, doc, JSON_TYPE(doc), JSON_TYPE(doc->'$.x'), JSON_TYPE(doc->'$.y[1]'),"
                + " JSON_TYPE(doc->'$[0].z'), JSON_TYPE(doc->'$.b[1]') FROM doc ORDER BY id";
        assertUndone(
                bench,
                shown,
                statements(
                        "UPDATE doc SET n = n + 1",
                        "UPDATE doc SET doc = JSON_SET(doc, '$.price', 1.5) WHERE doc->>'$.a' = 'ü'",
                        "UPDATE doc SET doc = '{}' WHERE id IN (7, 8, 9)",
                        "INSERT INTO doc (id, doc) VALUES (10, JSON_OBJECT('x', 1.50))"));
        assertUndone(bench, shown, statements("DELETE FROM doc WHERE id IN (1, 7, 8, 9)"));
        for (int id = 2; id <= 6; id++) {
            assertRefused(
                    bench,
                    shown,
                    "JSON",
                    "DELETE FROM doc WHERE id = " + id,
                    "UPDATE doc SET n = 2, doc = '{}' WHERE id = " + id);
        }
        assertRefused(bench, shown, "doc of doc(2)", "DELETE FROM doc");
    }

    @Test
    void whatMySqlComputesIsLeftToItAndWhatItHidesIsNot() throws Exception {
        AutoUndoBench bench = bench(On.MYSQL);
        bench.run(
                "CREATE TABLE made (id BIGINT PRIMARY KEY, n INT, v INT AS (n + 1) VIRTUAL, p INT AS (n + 2) STORED UNIQUE,"
                        + " hidden INT AS (n + 3) VIRTUAL INVISIBLE, spare INT INVISIBLE DEFAULT 4,"
                        + " code CHAR(36) DEFAULT (UUID()), doc JSON DEFAULT (JSON_ARRAY(n)),"
                        + " changed TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),"
                        + " at DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, name VARCHAR(20),"
                        + " INDEX ((n + spare)), UNIQUE INDEX ((LOWER(name))), CHECK (n < 100))",
                "INSERT INTO made (id, n, spare, name, changed, at) VALUES (1, 1, 5, 'A', '2020-01-01', '2020-01-01'),"
                        + " (2, 2, 6, 'B', '2020-01-01', '2020-01-01')");
        assertUndone(
                bench,
                "SELECT id, n, v, p, hidden, spare, code, doc, changed, at, name FROM made ORDER BY id",
                statements(
                        "UPDATE made SET n = 7, spare = 8 WHERE id = 1",
                        "UPDATE made SET name = 'c' WHERE id = 1",
                        "DELETE FROM made WHERE id = 2",
                        "INSERT INTO made (id, n) VALUES (3, 3)"));
    }

    @Test
    void aPrimaryKeyThatTheServerAddsIsAKey() throws Exception {
        AutoUndoBench bench = bench(On.MYSQL);
        try (Connection connection = bench.open()) {
            AutoUndoBench.update(connection, "SET sql_generate_invisible_primary_key = ON");
            AutoUndoBench.update(connection, "CREATE TABLE keyless (n INT)");
            AutoUndoBench.update(connection, "INSERT INTO keyless VALUES (1), (1), (2)");
        }
        String shown = "SELECT my_row_id, n FROM keyless ORDER BY my_row_id";
        assertUndone(
                bench,
                shown,
                statements(
                        "UPDATE keyless SET n = 3 WHERE n = 1",
                        "INSERT INTO keyless (n) VALUES (4)",
                        "DELETE FROM keyless WHERE n = 2"));
        bench.run("CREATE TABLE bare (n INT)", "INSERT INTO bare VALUES (1)");
        assertRefused(bench, "SELECT n FROM bare", "no primary key", "UPDATE bare SET n = 2", "DELETE FROM bare");
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void inEverySqlModeAllComesBack(On on) throws Exception {
        AutoUndoBench bench = bench(on);
        bench.run(
                "SET sql_mode = 'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO'",
                "CREATE TABLE modes (id BIGINT AUTO_INCREMENT PRIMARY KEY, d DATE, t DATETIME(3), s TIMESTAMP NULL,"
                        + " e ENUM('x', 'y'), m SET('u', 'w'), c CHAR(5), v VARCHAR(20), n INT)",
                "INSERT IGNORE INTO modes VALUES (0, '0000-00-00', '2026-02-31 01:02:03.004', '0000-00-00 00:00:00', 'none', '',"
                        + " 'ab', 'it''s\\\\ \\\\n', 0),"
                        + " (5, '2026-00-00', '0000-00-00 00:00:00', NULL, 'x', 'u,w', '', '\"`', 0), (6, NULL, NULL, NULL, NULL, NULL,"
                        + " NULL, NULL, 0)");
        String shown = "SELECT id, d + 0, t + 0, s + 0, e + 0, m + 0, HEX(c), HEX(v), n FROM modes ORDER BY id";
        for (String mode : List.of(
                "",
                "TRADITIONAL",
                "ANSI",
                "ANSI_QUOTES,STRICT_ALL_TABLES",
                "NO_BACKSLASH_ESCAPES,NO_ZERO_DATE,STRICT_TRANS_TABLES",
                "NO_AUTO_VALUE_ON_ZERO,NO_ZERO_IN_DATE,STRICT_ALL_TABLES",
                "PAD_CHAR_TO_FULL_LENGTH,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,IGNORE_SPACE")) {
            String quote = mode.contains("ANSI") ? "\"" : "`";
            assertUndone(bench, mode, shown, connection -> {
                statements("UPDATE modes SET n = n + 1, v = 'a\\nb' WHERE n >= 0 AND id <> 6"
                                .replace("modes", quote + "modes" + quote))
                        .on(connection);
                statements("INSERT INTO modes (n) VALUES (7)", "DELETE FROM modes WHERE id < 6")
                        .on(connection);
                statements("INSERT INTO modes (id, v) VALUES (0, 'x')").on(connection);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void whatTheServerCallsOneKeyIsOneRow(On on) throws Exception {
        AutoUndoBench bench = bench(on);
        boolean mySql = on == On.MYSQL;
        assertOneRow(
                bench, mySql ? "utf8mb4_0900_ai_ci" : "utf8mb4_uca1400_ai_ci", "a", List.of("A", "Á"), List.of("b"));
        assertOneRow(bench, "utf8mb4_general_ci", "a", List.of("Á", "A", "a  "), List.of("b"));
        assertOneRow(bench, "utf8mb4_bin", "a", List.of("a "), List.of("A", "á"));
        if (mySql) {
            assertOneRow(bench, "utf8mb4_0900_as_cs", "a", List.of(), List.of("A", "á", "a "));
            assertOneRow(bench, "utf8mb4_0900_bin", "a", List.of(), List.of("A", "á", "a "));
            assertOneRow(bench, "utf8mb4_0900_as_ci", "a", List.of("A"), List.of("á", "a "));
        }
    }

    /** Whoever has deleted a row keeps others from its key, however they write it. */
    private static void assertOneRow(
            AutoUndoBench bench, String collation, String key, List<String> same, List<String> others)
            throws Exception {
        String table = "k_" + collation;
        bench.run(
                "CREATE TABLE " + table + " (k VARCHAR(20) COLLATE " + collation + ", part INT, PRIMARY KEY (k, part))",
                "INSERT INTO " + table + " VALUES ('" + key + "', 1)");
        TransactionId gid = AutoUndoBench.newId();
        try (Connection connection = bench.connect(gid)) {
            AutoUndoBench.update(connection, "DELETE FROM " + table);
            connection.commit();
        }
        for (String each : same) {
            try (Connection other = bench.connect(AutoUndoBench.newId())) {
                assertThatThrownBy(() -> insert(other, table, each))
                        .as(collation + " " + each)
                        .isInstanceOf(SQLTransientException.class)
                        .hasMessageContaining(gid.text());
                other.rollback();
            }
        }
        for (String each : others) {
            TransactionId other = AutoUndoBench.newId();
            try (Connection connection = bench.connect(other)) {
                insert(connection, table, each);
                connection.commit();
            }
            bench.cancel(other);
        }
        bench.cancel(gid);
        assertThat(bench.query("SELECT k FROM " + table)).containsExactly(key);
    }

    private static void insert(Connection connection, String table, String key) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table + " (k, part) VALUES (?, 1)")) {
            insert.setString(1, key);
            insert.executeUpdate();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void keysOfBytesAreFound(On on) throws Exception {
        AutoUndoBench bench = bench(on);
        bench.run("CREATE TABLE bytes (id VARBINARY(16) PRIMARY KEY, n INT)", "INSERT INTO bytes VALUES ('one', 1)");
        String shown = "SELECT HEX(id), n FROM bytes ORDER BY id";
        assertUndone(
                bench,
                shown,
                statements(
                        "INSERT INTO bytes (id, n) VALUES ('abcd', 2)",
                        "INSERT INTO bytes (n, id) VALUES (2, x'00ff')",
                        "INSERT INTO bytes (id, n) VALUES (0x00fe, 3)",
                        "INSERT INTO bytes (id, n) VALUES (UNHEX('00FD'), 3)",
                        "UPDATE bytes SET n = 9 WHERE id = 'one'"));
        if (on == On.MYSQL) {
            assertUndone(bench, shown, connection -> {
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO bytes (n, id) VALUES (? + 1, UUID_TO_BIN(?, 1))")) {
                    insert.setInt(1, 4);
                    insert.setString(2, "123e4567-e89b-12d3-a456-426655440000");
                    insert.executeUpdate();
                }
            });
        }
        assertRefused(
                bench,
                shown,
                "does not say which id",
                "INSERT INTO bytes (id, n) VALUES (RANDOM_BYTES(4), 2)",
                "INSERT INTO bytes (id, n) VALUES (CONCAT('a', 'b'), 2)",
                "INSERT INTO bytes (n) VALUES (2)");
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aKeyWithABackslashIsAParameterOrRefused(On on) throws Exception {
        AutoUndoBench bench = bench(on);
        // The key that a text has which takes a backslash for itself is another row's.
        bench.run("CREATE TABLE slash (k VARCHAR(20) PRIMARY KEY)", "INSERT INTO slash VALUES ('a\\\\nb')");
        assertRefused(
                bench,
                "SELECT HEX(k) FROM slash ORDER BY k",
                "does not say which k",
                "INSERT INTO slash (k) VALUES ('a\\nb')");
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void numbersThatTheServerCountsAreFound(On on) throws Exception {
        AutoUndoBench bench = bench(on);
        bench.run(
                "CREATE TABLE counted (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, n INT)",
                "INSERT INTO counted VALUES (77, 0), (9223372036854775807, 0)");
        String shown = "SELECT id, n FROM counted ORDER BY id";
        assertUndone(bench, shown, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(
                        "INSERT INTO counted (n) VALUES (LAST_INSERT_ID(77))", Statement.RETURN_GENERATED_KEYS);
                try (ResultSet keys = statement.getGeneratedKeys()) {
                    assertThat(keys.next()).isTrue();
                    assertThat(keys.getString(1)).isIn("9223372036854775808", "-9223372036854775808");
                }
                statement.executeUpdate("INSERT INTO counted (id, n) VALUES (5, LAST_INSERT_ID(77))");
                statement.executeUpdate("INSERT INTO counted (id) VALUES (18446744073709551614)");
            }
        });
        assertRefused(bench, shown, "which id", "INSERT INTO counted (id, n) VALUES (5 + 1, LAST_INSERT_ID(77))");
        assertUndone(bench, "NO_AUTO_VALUE_ON_ZERO", shown, statements("INSERT INTO counted (id, n) VALUES (0, 1)"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (id, n) VALUES (1, 5) ON DUPLICATE KEY UPDATE n = 5",
                "INSERT INTO t (id, n) VALUES (1, 5) AS new ON DUPLICATE KEY UPDATE n = new.n",
                "INSERT INTO t (id, n) VALUES (5, 5), (6, 6)",
                "INSERT INTO t (id, n) VALUES ROW(5, 5)",
                "INSERT INTO t VALUES (5, 5)",
                "INSERT IGNORE INTO t (id, n) VALUES (1, 5)",
                "INSERT INTO t (id, n) SELECT id + 10, n FROM t",
                "INSERT INTO t (id, n) TABLE t",
                "REPLACE INTO t (id, n) VALUES (1, 5)",
                "REPLACE t SET id = 1, n = 5",
                "UPDATE t SET n = 5 ORDER BY id LIMIT 1",
                "UPDATE t SET n = 5 LIMIT 1",
                "DELETE FROM t ORDER BY id LIMIT 1",
                "DELETE FROM t LIMIT 1",
                "UPDATE IGNORE t SET n = 5",
                "DELETE IGNORE FROM t",
                "UPDATE t a, t b SET a.n = 5 WHERE a.id = b.id",
                "UPDATE t a JOIN t b ON a.id = b.id SET a.n = 5",
                "DELETE a FROM t a JOIN t b ON a.id = b.id",
                "DELETE a, b FROM t a, t b",
                "DELETE FROM a USING t AS a JOIN t AS b ON a.id = b.id",
                "WITH w AS (SELECT 1 AS x) UPDATE t SET n = 5 WHERE id IN (SELECT x FROM w)",
                "WITH w AS (SELECT 1 AS x) DELETE FROM t WHERE id IN (SELECT x FROM w)",
                "UPDATE t SET id = 5 WHERE id = 1",
                "UPDATE t SET n = 5 #> 3\n, n = 6 WHERE id = 1",
                "SELECT n #> '\n; DELETE FROM t; SELECT '1' FROM t",
                "INSERT INTO t (id, n) VALUES (5, 5) /* ' */ /*! , (6, 6) */ -- '",
                "INSERT INTO t (id, n) VALUES (5, 5) -- '\n /*! , (6, 6) */ -- '",
                "LOAD DATA INFILE 'x' INTO TABLE t",
                "CALL p()",
                "SET @x = 1",
                "TRUNCATE t"
            })
    void whatOnlyMySqlTakesIsRefusedBeforeItRuns(String sql) throws Exception {
        for (On on : List.of(On.MARIADB, On.MYSQL)) {
            AutoUndoBench bench = bench(on);
            bench.run("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, n INT)");
            bench.run("DELETE FROM t", "INSERT INTO t VALUES (1, 1), (2, 2)");
            assertRefused(bench, "SELECT id, n FROM t ORDER BY id", "", sql);
        }
    }
}
