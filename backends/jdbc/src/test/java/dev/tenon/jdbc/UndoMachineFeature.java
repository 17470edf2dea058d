package dev.tenon.jdbc;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.jdbc.UndoMachineTable.Column;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What {@link UndoMachine} does beside the ordinary: the cases in which automatic undo once was wrong. In texts,
 * {@code {t}} and {@code {o}} stand for ordinary tables, {@code {i}} for a small number, {@code {r}} for a random one
 * below 1, {@code {s}} for what makes names of a schema its own.
 */
enum UndoMachineFeature {
    /** Two statements in one string. */
    TWO_STATEMENTS(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE {t} SET n = {i}; DELETE FROM {o} WHERE id < {i}",
                    "SELECT 1; DELETE FROM {t} WHERE id > {i}",
                    "SELECT 1; UPDATE {t} SET n = {i}");
        }
    },
    /** A condition that holds for other rows each time. */
    UNSTABLE_WHERE(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE {t} SET n = {i} WHERE id = (SELECT x FROM (SELECT id AS x FROM {t} ORDER BY {r} LIMIT 1) y)",
                    "DELETE FROM {t} WHERE {r} < 0.3",
                    "UPDATE {t} SET n = {i} WHERE {r} < 0.5");
        }
    },
    /** A row 0 in a table whose key the database counts, where 0 asks for a number. */
    ZERO_ID(On.MARIADB, On.MYSQL) {
        @Override
        List<String> ddl(On on) {
            return List.of("CREATE TABLE zero_{s} (id INT AUTO_INCREMENT PRIMARY KEY, n INT)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(table(
                    "zero_{s}", "INSERT INTO zero_{s} VALUES (0, {i})", "INSERT INTO zero_{s} VALUES ({i}, {i})"));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "DELETE FROM zero_{s} WHERE id = 0",
                    "UPDATE zero_{s} SET n = {i} WHERE id = 0",
                    "INSERT INTO zero_{s} (id, n) VALUES (0, {i})",
                    "INSERT INTO zero_{s} (n) VALUES ({i})");
        }
    },
    /** Times in the hour that comes twice. */
    REPEATED_HOUR(On.MARIADB, On.MYSQL) {
        @Override
        List<String> ddl(On on) {
            return List.of("CREATE TABLE dst_{s} (id INT PRIMARY KEY, n INT, seen TIMESTAMP NULL)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(new UndoMachineTable(
                    "dst_{s}",
                    "dst_{s}",
                    List.of(number("id"), number("n"), number("seen")),
                    List.of("id"),
                    List.of(
                            "INSERT INTO dst_{s} VALUES ({i}, {i}, '2026-10-25 00:30:00')",
                            "INSERT INTO dst_{s} VALUES ({i}, {i}, '2026-10-25 01:30:00')")));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE dst_{s} SET n = {i} WHERE id < {i}",
                    "UPDATE dst_{s} SET seen = NULL WHERE id = {i}",
                    "DELETE FROM dst_{s} WHERE id = {i}");
        }
    },
    /** Columns whose names differ in case only. */
    CASE_ONLY(On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of("CREATE TABLE cases_{s} (id INT PRIMARY KEY, n INT, \"N\" INT)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(new UndoMachineTable(
                    "cases_{s}",
                    "cases_{s}",
                    List.of(number("id"), number("n"), number("N")),
                    List.of("id"),
                    List.of("INSERT INTO cases_{s} VALUES ({i}, {i}, {i})")));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE cases_{s} SET n = {i} WHERE id > {i}",
                    "UPDATE cases_{s} SET \"N\" = {i}, n = {i}",
                    "INSERT INTO cases_{s} (id, \"N\") VALUES ({i}, {i})",
                    "DELETE FROM cases_{s} WHERE \"N\" = {i}");
        }
    },
    /** Names of tables that are patterns for each other. */
    WILDCARD_NAMES(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of(
                    "CREATE TABLE ab_{s} (id INT PRIMARY KEY, n INT)",
                    "CREATE TABLE abx{s} (id INT PRIMARY KEY, n INT, more INT NOT NULL)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(table("ab_{s}", "INSERT INTO ab_{s} VALUES ({i}, {i})"));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "INSERT INTO ab_{s} (id, n) VALUES ({i}, {i})",
                    "UPDATE ab_{s} SET n = {i} WHERE id > {i}",
                    "DELETE FROM ab_{s} WHERE id = {i}");
        }
    },
    /** Rows of a child in a parent's statement. */
    INHERITANCE(On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of(
                    "CREATE TABLE base_{s} (id INT PRIMARY KEY, n INT)",
                    "CREATE TABLE heir_{s} (more INT) INHERITS (base_{s})");
        }

        @Override
        List<UndoMachineTable> tables() {
            List<Column> columns = List.of(number("id"), number("n"));
            List<String> key = List.of("id");
            return List.of(
                    new UndoMachineTable(
                            "base_{s}",
                            "ONLY base_{s}",
                            columns,
                            key,
                            List.of("INSERT INTO base_{s} VALUES ({i}, {i})")),
                    new UndoMachineTable(
                            "heir_{s}",
                            "heir_{s}",
                            columns,
                            key,
                            List.of(
                                    "INSERT INTO heir_{s} SELECT {i} + 100 * (SELECT count(*) FROM heir_{s}), {i}, {i}")));
        }

        @Override
        List<String> statements(On on) {
            return List.of("UPDATE base_{s} SET n = {i} WHERE id > {i}", "DELETE FROM base_{s} WHERE n = {i}");
        }
    },
    /** Comments that the server reads. */
    COMMENTS(On.MARIADB, On.MYSQL) {
        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE {t} SET n = {i} WHERE id = {i} /*! OR id > 2 */",
                    "DELETE FROM {t} WHERE id = {i} /*M! OR n > 2 */");
        }
    },
    /** Keys that the database makes by an expression. */
    GENERATED_KEYS(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            String made = on == On.MYSQL ? "CHAR(36)" : on == On.POSTGRES ? "UUID DEFAULT gen_random_uuid()" : "UUID";
            List<String> tables = List.of(
                    "CREATE TABLE made_{s} (id " + made + " PRIMARY KEY, n INT)",
                    "CREATE TABLE seq_{s} (id INT PRIMARY KEY, n INT)");
            return on == On.MYSQL
                    ? tables
                    : List.of(tables.get(0), tables.get(1), "CREATE SEQUENCE sq_{s} START WITH 1000");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(
                    table("made_{s}", "INSERT INTO made_{s} VALUES ({uuid}, {i})"),
                    table("seq_{s}", "INSERT INTO seq_{s} VALUES ({i}, {i})"));
        }

        @Override
        List<String> statements(On on) {
            String next = switch (on) {
                case POSTGRES -> "nextval('sq_{s}')";
                case MARIADB -> "NEXTVAL(sq_{s})";
                case MYSQL -> "FLOOR(1000 + 1000000 * RAND())";
                default -> "NEXT VALUE FOR sq_{s}";
            };
            return List.of(
                    "INSERT INTO made_{s} (id, n) VALUES ({uuid}, {i})",
                    "INSERT INTO made_{s} (n) VALUES ({i})",
                    "UPDATE made_{s} SET n = {i} WHERE n > {i}",
                    "DELETE FROM made_{s} WHERE n = {i}",
                    "INSERT INTO seq_{s} (id, n) VALUES (" + next + ", {i})",
                    "UPDATE seq_{s} SET n = {i} WHERE n > {i}");
        }
    },
    /** A primary key that is a domain over an enum. */
    DOMAIN_KEY(On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of(
                    "CREATE TYPE mood_{s} AS ENUM ('sad', 'glad')",
                    "CREATE DOMAIN dom_{s} AS mood_{s}",
                    "CREATE TABLE day_{s} (id dom_{s} PRIMARY KEY, n INT)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(table(
                    "day_{s}", "INSERT INTO day_{s} VALUES ('sad', {i})", "INSERT INTO day_{s} VALUES ('glad', {i})"));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE day_{s} SET n = {i} WHERE CAST(id AS mood_{s}) = 'sad'",
                    "DELETE FROM day_{s} WHERE n > {i}",
                    "INSERT INTO day_{s} (id, n) VALUES ('glad', {i})");
        }
    },
    /** Queries that write. */
    WRITING_QUERIES(On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of(
                    on == On.POSTGRES
                            ? "CREATE FUNCTION pay_{s}(paid INT) RETURNS INT LANGUAGE sql AS 'UPDATE {t} SET n = paid; SELECT 1'"
                            : "CREATE FUNCTION pay_{s}(paid INT) RETURNS INT DETERMINISTIC BEGIN UPDATE {t} SET n = paid; RETURN 1; END");
        }

        @Override
        List<String> statements(On on) {
            String call = "SELECT pay_{s}({i})";
            return on.isMySql()
                    ? List.of(call)
                    : List.of(call, "WITH d AS (DELETE FROM {t} WHERE id < {i} RETURNING id) SELECT * FROM d");
        }
    },
    /** A trigger that counts versions. */
    TRIGGERS(On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            String table = "CREATE TABLE told_{s} (id INT PRIMARY KEY, n INT, version INT DEFAULT 0)";
            String trigger = "CREATE TRIGGER tell_{s} BEFORE UPDATE ON told_{s} FOR EACH ROW ";
            return on.isMySql()
                    ? List.of(table, trigger + "SET NEW.version = OLD.version + 1")
                    : List.of(
                            table,
                            "CREATE FUNCTION tell_{s}() RETURNS trigger LANGUAGE plpgsql AS"
                                    + " 'BEGIN NEW.version = OLD.version + 1; RETURN NEW; END'",
                            trigger + "EXECUTE FUNCTION tell_{s}()");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(new UndoMachineTable(
                    "told_{s}",
                    "told_{s}",
                    List.of(number("id"), number("n"), number("version")),
                    List.of("id"),
                    List.of("INSERT INTO told_{s} VALUES ({i}, {i}, {i})")));
        }

        @Override
        List<String> statements(On on) {
            return List.of("UPDATE told_{s} SET n = {i} WHERE id > {i}", "DELETE FROM told_{s} WHERE id = {i}");
        }
    },
    /** Children that go with their parent. */
    CASCADES(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            String child = " (id INT PRIMARY KEY, n INT, FOREIGN KEY (n) REFERENCES ma_{s} (id) ON DELETE ";
            return List.of(
                    "CREATE TABLE ma_{s} (id INT PRIMARY KEY, n INT)",
                    "CREATE TABLE kid_{s}" + child + "CASCADE)",
                    "CREATE TABLE pet_{s}" + child + "SET NULL)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(
                    table("ma_{s}", "INSERT INTO ma_{s} VALUES ({i}, {i})"),
                    table("kid_{s}", "INSERT INTO kid_{s} VALUES ({i}, {i})"),
                    table("pet_{s}", "INSERT INTO pet_{s} VALUES ({i}, {i})"));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "DELETE FROM ma_{s} WHERE id = {i}",
                    "UPDATE ma_{s} SET n = {i}",
                    "UPDATE kid_{s} SET n = {i} WHERE id = {i}",
                    "INSERT INTO kid_{s} (id, n) VALUES ({i}, {i})");
        }
    },
    /** Values of a unique column that move on, so that no row can be put back before its neighbour. */
    SHIFTS(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of("CREATE TABLE shift_{s} (id INT PRIMARY KEY, n INT UNIQUE)");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(table("shift_{s}", "INSERT INTO shift_{s} VALUES ({i}, {i})"));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "UPDATE shift_{s} SET n = n - 1",
                    "UPDATE shift_{s} SET n = n + 1 WHERE n > {i}",
                    "UPDATE shift_{s} SET n = {i} WHERE id = {i}",
                    "DELETE FROM shift_{s} WHERE id = {i}",
                    "INSERT INTO shift_{s} (id, n) VALUES ({i}, {i})");
        }
    },
    /**
     * Rows of a table that refer to each other. Not on H2, which lets two plain transactions at once break such a
     * constraint.
     */
    SELF_REFERENCE(On.MARIADB, On.MYSQL, On.POSTGRES) {
        @Override
        List<String> ddl(On on) {
            return List.of(
                    "CREATE TABLE tree_{s} (id INT PRIMARY KEY, n INT, FOREIGN KEY (n) REFERENCES tree_{s} (id))");
        }

        @Override
        List<UndoMachineTable> tables() {
            return List.of(table(
                    "tree_{s}", "INSERT INTO tree_{s} VALUES ({i}, NULL)", "INSERT INTO tree_{s} VALUES ({i}, {i})"));
        }

        @Override
        List<String> statements(On on) {
            return List.of(
                    "DELETE FROM tree_{s}",
                    "DELETE FROM tree_{s} WHERE id < {i}",
                    "DELETE FROM tree_{s} WHERE id = {i}",
                    "INSERT INTO tree_{s} (id, n) VALUES ({i}, {i})",
                    "UPDATE tree_{s} SET n = {i} WHERE id = {i}");
        }
    };

    private final Set<On> where;

    UndoMachineFeature(On... where) {
        this.where = EnumSet.copyOf(Arrays.asList(where));
    }

    boolean isOn(On on) {
        return where.contains(on);
    }

    /** What makes its tables. */
    List<String> ddl(On on) {
        return List.of();
    }

    /** Its tables. */
    List<UndoMachineTable> tables() {
        return List.of();
    }

    /** What it adds to the statements. */
    abstract List<String> statements(On on);

    private static Column number(String name) {
        return new Column(name, "", List.of(), null);
    }

    private static UndoMachineTable table(String name, String... seeds) {
        return new UndoMachineTable(name, name, List.of(number("id"), number("n")), List.of("id"), List.of(seeds));
    }
}
