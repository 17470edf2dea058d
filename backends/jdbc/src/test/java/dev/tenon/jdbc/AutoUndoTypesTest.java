package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.jdbc.AutoUndoTypes.Type;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.at.AtResource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A row is put back as it was, of whatever types its columns are; what could not be put back is refused before it is
 * changed.
 */
class AutoUndoTypesTest {
    @Test
    void postgresPutsEveryTypeBack() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.POSTGRES)) {
            bench.run(
                    "CREATE EXTENSION hstore",
                    "CREATE EXTENSION citext",
                    "CREATE TYPE mood AS ENUM ('sad', 'so so')",
                    "CREATE TYPE pair AS (a INT, b TEXT)",
                    "CREATE DOMAIN token AS BYTEA",
                    "CREATE DOMAIN weekday AS mood");
            assertPutBack(bench, "SELECT CAST(# AS text) FROM # ORDER BY id", AutoUndoTypes.ofPostgres());
        }
    }

    @Test
    void mySqlPutsEveryTypeBack() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.MYSQL)) {
            assertPutBack(bench, "SELECT id, HEX(CONCAT(c)), touched FROM # ORDER BY id", AutoUndoTypes.ofMySql());
        }
    }

    @Test
    void mySqlPutsVectorsBack() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.MYSQL)) {
            assertPutBack(bench, "SELECT id, HEX(c), touched FROM # ORDER BY id", List.of(AutoUndoTypes.VECTOR));
        }
    }

    @Test
    void mariaDbPutsEveryTypeBack() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.MARIADB)) {
            assertPutBack(bench, "SELECT id, HEX(CONCAT(c)), touched FROM # ORDER BY id", AutoUndoTypes.ofMariaDb());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void theDigitsComeBackThatTheServerDoesNotShow(On on) throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(on)) {
            assertPutBack(
                    bench,
                    "SELECT id, CAST(c AS DOUBLE), touched FROM # ORDER BY id",
                    List.of(new Type("FLOAT", "16777217", "0.1234567", false)));
        }
    }

    @Test
    void postgresPutsRowsBackWhoseKeysAreOfTypesOfTheUsersOwn() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.POSTGRES)) {
            bench.run(
                    "CREATE SCHEMA other",
                    "CREATE DOMAIN \"Week day\" AS VARCHAR(10)",
                    "CREATE TYPE other.pair AS (a INT, b TEXT)",
                    "CREATE TABLE t (c \"Week day\", p other.pair, n INT, PRIMARY KEY (c, p))",
                    "INSERT INTO t VALUES ('sad', '(1,x)', 0), ('so so', '(2,\"y z\")', 0)");
            SoftAssertions softly = new SoftAssertions();
            assertPutBack(
                    bench,
                    "keys",
                    "SELECT CAST(t AS text) FROM t ORDER BY c",
                    softly,
                    "UPDATE t SET n = 1",
                    "DELETE FROM t WHERE c = 'so so'");
            softly.assertAll();
        }
    }

    @Test
    void h2PutsEveryTypeBackThatItTakes() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.H2)) {
            assertPutBack(bench, "SELECT id, c, touched FROM # ORDER BY id", AutoUndoTypes.ofH2());
        }
    }

    /** For each type: rows changed in this column and in another, deleted and inserted, and all that undone. */
    private static void assertPutBack(AutoUndoBench bench, String shown, List<Type> types) throws Exception {
        SoftAssertions softly = new SoftAssertions();
        for (int i = 0; i < types.size(); i++) {
            Type type = types.get(i);
            bench.run("CREATE TABLE t" + i + " (id BIGINT PRIMARY KEY, c " + type.name() + ", touched INT)");
            List<String> rows = new ArrayList<>();
            for (int id = 1; id <= 9; id++) {
                String value = id == 8 ? type.other() : id == 9 ? "NULL" : type.one();
                rows.add("(" + id + ", " + value + ", 0)");
            }
            bench.run("INSERT INTO t" + i + " VALUES " + String.join(", ", rows));
            assertPutBack(
                    bench,
                    type.name(),
                    shown.replace("#", "t" + i),
                    softly,
                    "UPDATE t" + i + " SET touched = touched + 1",
                    "UPDATE t" + i + " SET c = " + type.other() + " WHERE id <= 6",
                    "UPDATE t" + i + " SET c = NULL WHERE id = 6",
                    "DELETE FROM t" + i + " WHERE id >= 7",
                    "INSERT INTO t" + i + " (id, c, touched) VALUES (10, " + type.one() + ", 0)");
            if (type.key()) {
                bench.run(
                        "CREATE TABLE k" + i + " (c " + type.name() + " PRIMARY KEY, id BIGINT, touched INT)",
                        "INSERT INTO k" + i + " VALUES (" + type.one() + ", 1, 0)");
                assertPutBack(
                        bench,
                        type.name() + " as the key",
                        shown.replace("#", "k" + i),
                        softly,
                        "UPDATE k" + i + " SET touched = 1",
                        "INSERT INTO k" + i + " (c, id) VALUES (" + type.other() + ", 2)",
                        "DELETE FROM k" + i + " WHERE id = 1");
            }
        }
        softly.assertAll();
    }

    private static void assertPutBack(
            AutoUndoBench bench, String what, String shown, SoftAssertions softly, String... statements) {
        try {
            List<String> before = bench.query(shown);
            TransactionId gid = AutoUndoBench.newId();
            try (Connection goods = bench.connect(gid)) {
                for (String sql : statements) {
                    AutoUndoBench.update(goods, sql);
                }
                goods.commit();
            }
            softly.assertThat(bench.query(shown)).as(what).isNotEqualTo(before);
            bench.cancel(gid);
            softly.assertThat(bench.query(shown)).as(what).isEqualTo(before);
            bench.assertNothingIsLeft(gid);
        } catch (Exception | AssertionError e) {
            softly.fail(what + ": " + e, e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRES"})
    void aRowWithAnIdentityThatTheDatabaseAlwaysGivesComesBackWithIt(On on) throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(on)) {
            String stored = on == On.H2 ? "" : " STORED";
            bench.run(
                    "CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n INT,"
                            + " twice INT GENERATED ALWAYS AS (n * 2)" + stored + ")",
                    "CREATE TABLE u (k INT PRIMARY KEY, serial BIGINT GENERATED ALWAYS AS IDENTITY, n INT)");
            for (int n = 1; n <= 3; n++) {
                bench.run("INSERT INTO t (n) VALUES (" + n + ")", "INSERT INTO u (k, n) VALUES (" + n + ", 0)");
            }
            SoftAssertions softly = new SoftAssertions();
            for (String table : List.of("t", "u")) {
                assertPutBack(
                        bench,
                        table,
                        "SELECT * FROM " + table + " ORDER BY 1",
                        softly,
                        "INSERT INTO " + table + (table.equals("t") ? " (n) VALUES (7)" : " (k, n) VALUES (7, 7)"),
                        "UPDATE " + table + " SET n = 8",
                        "DELETE FROM " + table + " WHERE n = 8");
            }
            softly.assertAll();
            try (Connection goods = bench.connect(AutoUndoBench.newId())) {
                assertThatThrownBy(() -> AutoUndoBench.update(goods, "UPDATE u SET serial = DEFAULT WHERE k = 1"))
                        .isInstanceOf(SQLFeatureNotSupportedException.class)
                        .hasMessageContaining("IDENTITY");
                goods.commit();
            }
            assertThat(bench.query("SELECT serial FROM u WHERE k = 1")).containsExactly("1");
        }
    }

    @Test
    void whatMariaDbComputesIsLeftToIt() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.MARIADB)) {
            bench.run(
                    "CREATE TABLE t (id BIGINT PRIMARY KEY, n INT, v INT AS (n + 1) VIRTUAL, p INT AS (n + 2) PERSISTENT,"
                            + " hidden INT AS (n + 3) VIRTUAL INVISIBLE, spare INT INVISIBLE DEFAULT 4)"
                            + " WITH SYSTEM VERSIONING",
                    "INSERT INTO t (id, n, spare) VALUES (1, 1, 5), (2, 2, 6)");
            SoftAssertions softly = new SoftAssertions();
            assertPutBack(
                    bench,
                    "computed",
                    "SELECT id, n, v, p, hidden, spare FROM t ORDER BY id",
                    softly,
                    "UPDATE t SET n = 7, spare = 8 WHERE id = 1",
                    "DELETE FROM t WHERE id = 2",
                    "INSERT INTO t (id, n) VALUES (3, 3)");
            softly.assertAll();
        }
    }

    @Test
    void aTimestampIsTheSameInEveryTimeZone() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.POSTGRES)) {
            bench.run(
                    "CREATE TABLE t (id timestamptz PRIMARY KEY, at timestamptz, n INT)",
                    "INSERT INTO t VALUES ('2026-01-02 03:04:05+00', '2026-03-29 01:30:00.5+00', 1), ('infinity', NULL, 2)");
            List<String> before = bench.query("SELECT * FROM t ORDER BY id");
            TransactionId gid = AutoUndoBench.newId();
            try (Connection goods =
                    bench.elsewhere("SET TIME ZONE 'Asia/Tokyo'").connect(gid, "b")) {
                AutoUndoBench.update(goods, "UPDATE t SET n = 3, at = '2026-01-01 00:00:00+00' WHERE n = 1");
                AutoUndoBench.update(goods, "DELETE FROM t");
                goods.commit();
            }
            AtResource recovery = bench.elsewhere("SET TIME ZONE 'America/New_York'");
            assertThat(AutoUndoBench.end(recovery, gid, Operation.CANCEL)).isInstanceOf(Reply.Done.class);
            assertThat(bench.query("SELECT * FROM t ORDER BY id")).isEqualTo(before);
        }
    }

    @Test
    void whatSomebodyElseHasChangedIsSeenInEveryType() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.POSTGRES)) {
            bench.run(
                    "CREATE TYPE mood AS ENUM ('sad', 'glad')",
                    "CREATE TABLE t (id INT PRIMARY KEY, m mood, j json, a mood[], n INT)",
                    "INSERT INTO t VALUES (1, 'sad', '{}', '{sad}', 0)");
            for (String change : List.of("m = 'glad'", "j = '[]'", "a = '{}'")) {
                TransactionId gid = AutoUndoBench.newId();
                try (Connection goods = bench.connect(gid)) {
                    AutoUndoBench.update(goods, "UPDATE t SET n = n + 1");
                    goods.commit();
                }
                bench.run("UPDATE t SET " + change);
                assertThat(bench.canceled(gid))
                        .asString()
                        .contains("t(1): " + change.charAt(0) + " is ")
                        .doesNotContain("n is");
                bench.run("UPDATE t SET m = 'sad', j = '{}', a = '{sad}'");
                bench.cancel(gid);
                assertThat(bench.query("SELECT n FROM t")).containsExactly("0");
            }
        }
    }

    @Test
    void whatCouldNotBePutBackIsRefusedBeforeItIsChanged() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.H2)) {
            for (String type : List.of("INT ARRAY", "ROW (a INT)", "JAVA_OBJECT")) {
                assertRefused(bench, "id INT DEFAULT 1 PRIMARY KEY, n INT, c " + type, "", "Column C ");
            }
        }
        try (AutoUndoBench bench = new AutoUndoBench(On.POSTGRES)) {
            assertRefused(bench, "n INT, id INT GENERATED ALWAYS AS (n + 1) STORED PRIMARY KEY", "", "primary key");
        }
        try (AutoUndoBench bench = new AutoUndoBench(On.MARIADB)) {
            assertRefused(
                    bench,
                    "id INT DEFAULT 1 PRIMARY KEY, n INT, a TIMESTAMP(6) GENERATED ALWAYS AS ROW START,"
                            + " b TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME(a, b)",
                    " WITH SYSTEM VERSIONING",
                    "primary key");
        }
    }

    private static void assertRefused(AutoUndoBench bench, String columns, String options, String because)
            throws SQLException {
        bench.run("CREATE TABLE t (" + columns + ")" + options, "INSERT INTO t (n) VALUES (0)");
        try (Connection goods = bench.connect(AutoUndoBench.newId())) {
            for (String sql : List.of("UPDATE t SET n = 2", "DELETE FROM t", "INSERT INTO t (n) VALUES (5)")) {
                assertThatThrownBy(() -> AutoUndoBench.update(goods, sql))
                        .as(columns + ": " + sql)
                        .isInstanceOf(SQLFeatureNotSupportedException.class)
                        .hasMessageContaining(because);
            }
            goods.commit();
        }
        assertThat(bench.query("SELECT n FROM t")).containsExactly("0");
        bench.run("DROP TABLE t");
    }
}
