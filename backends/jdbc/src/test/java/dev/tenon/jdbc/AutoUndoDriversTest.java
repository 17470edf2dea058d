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
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What one driver of MySQL has noted, another puts back, whatever its options. */
class AutoUndoDriversTest {
    private static Map<String, DataSource> ways(AutoUndoBench bench) {
        Map<String, DataSource> ways = new LinkedHashMap<>();
        ways.put("Connector/J", bench.with("connectTimeout=60000"));
        ways.put("MariaDB's driver", bench.byMariaDbsDriver());
        ways.put("prepared by the server", bench.with("useServerPrepStmts=true&cachePrepStmts=true"));
        ways.put("schemas", bench.with("databaseTerm=SCHEMA"));
        ways.put("rows that differ", bench.with("useAffectedRows=true&rewriteBatchedStatements=true"));
        return ways;
    }

    @Test
    void whatOneHasNotedAnotherPutsBack() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.MYSQL)) {
            String shown = table(bench);
            List<String> before = bench.query(shown);
            List<Map.Entry<String, DataSource>> ways = List.copyOf(ways(bench).entrySet());
            for (int i = 0; i < ways.size(); i++) {
                Map.Entry<String, DataSource> noting = ways.get(i);
                Map.Entry<String, DataSource> undoing = ways.get((i + 1) % ways.size());
                String what = noting.getKey() + ", undone by " + undoing.getKey();
                TransactionId gid = AutoUndoBench.newId();
                try (Connection connection = bench.by(noting.getValue()).connect(gid, "b")) {
                    for (String sql : List.of(
                            "UPDATE every SET n = 1 WHERE k >= 'a'",
                            "UPDATE every SET n = 1 WHERE k >= 'a'",
                            "UPDATE every SET c0 = 'a' WHERE k = 'one'",
                            "DELETE FROM every WHERE k = 'one'",
                            "INSERT INTO every (k, n) VALUES ('new', 5)")) {
                        AutoUndoBench.update(connection, sql);
                    }
                    connection.commit();
                }
                assertThat(bench.query(shown)).as(what).isNotEqualTo(before);
                assertThat(AutoUndoBench.end(bench.by(undoing.getValue()), gid, Operation.CANCEL))
                        .as(what)
                        .isInstanceOf(Reply.Done.class);
                assertThat(bench.query(shown)).as(what).isEqualTo(before);
            }
        }
    }

    /** A table with a column of every type; returns a query that shows all of it. */
    private static String table(AutoUndoBench bench) throws Exception {
        List<Type> types = Stream.concat(AutoUndoTypes.ofMySql().stream(), Stream.of(AutoUndoTypes.VECTOR))
                .toList();
        List<String> columns = new ArrayList<>(List.of("k VARCHAR(20) PRIMARY KEY", "n INT"));
        IntStream.range(0, types.size())
                .forEach(i -> columns.add("c" + i + " " + types.get(i).name() + " NULL"));
        bench.run(
                "CREATE TABLE every (" + String.join(", ", columns) + ")",
                "INSERT INTO every VALUES ('one', 0, "
                        + String.join(", ", types.stream().map(Type::one).toList()) + "), ('other', 0, "
                        + String.join(", ", types.stream().map(Type::other).toList()) + ")");
        List<String> texts = IntStream.range(0, types.size())
                .mapToObj(i -> switch (types.get(i).name().split("[( ]")[0]) {
                    case "VECTOR" -> "HEX(c" + i + ")";
                    case "FLOAT" -> "CAST(c" + i + " AS DOUBLE)";
                    default -> "HEX(CONCAT(c" + i + "))";
                })
                .toList();
        return "SELECT k, n, " + String.join(", ", texts) + " FROM every ORDER BY k";
    }

    @Test
    void childrenInAnotherDatabaseThatGoWithTheirParentAreSeen() throws Exception {
        for (On on : List.of(On.MARIADB, On.MYSQL)) {
            try (AutoUndoBench bench = new AutoUndoBench(on)) {
                String other = "other_" + UUID.randomUUID().toString().substring(0, 8);
                String here = bench.query("SELECT DATABASE()").get(0);
                bench.run(
                        "CREATE TABLE parent (id INT PRIMARY KEY, u INT UNIQUE)",
                        "INSERT INTO parent VALUES (1, 1)",
                        "CREATE DATABASE " + other,
                        "CREATE TABLE " + other + ".kid (id INT PRIMARY KEY, p INT, u INT, FOREIGN KEY (p) REFERENCES "
                                + here
                                + ".parent (id) ON DELETE CASCADE, FOREIGN KEY (u) REFERENCES " + here
                                + ".parent (u) ON UPDATE SET NULL)",
                        "INSERT INTO " + other + ".kid VALUES (1, 1, 1)");
                List<DataSource> ways = on == On.MYSQL
                        ? List.copyOf(ways(bench).values())
                        : List.of(bench.with("connectTimeout=60000"));
                for (DataSource way : ways) {
                    AtResource resource = bench.by(way);
                    try (Connection connection = resource.connect(AutoUndoBench.newId(), "b");
                            Statement statement = connection.createStatement()) {
                        for (String sql : List.of("DELETE FROM parent", "UPDATE parent SET u = 2")) {
                            assertThatThrownBy(() -> statement.executeUpdate(sql))
                                    .as(sql)
                                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                                    .hasMessageContaining("kid follow");
                        }
                    }
                }
                bench.run("DROP DATABASE " + other);
            }
        }
    }

    @Test
    void aCheckThatCameMeanwhileSuspends() throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(On.MYSQL)) {
            bench.run("CREATE TABLE checked (id INT PRIMARY KEY, n INT)", "INSERT INTO checked VALUES (1, 1), (2, 2)");
            TransactionId gid = AutoUndoBench.newId();
            try (Connection connection = bench.connect(gid)) {
                AutoUndoBench.update(connection, "UPDATE checked SET n = n + 10");
                connection.commit();
            }
            bench.run("ALTER TABLE checked ADD CONSTRAINT many CHECK (n > 1)");
            assertThat(bench.canceled(gid)).asString().contains("checked(1)").contains("many");
            bench.run("ALTER TABLE checked DROP CONSTRAINT many");
            bench.cancel(gid);
            assertThat(bench.query("SELECT n FROM checked ORDER BY id")).containsExactly("1", "2");
        }
    }
}
