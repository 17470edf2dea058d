package dev.tenon.shardingsphere;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.Gene;
import dev.tenon.id.GeneGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.shardingsphere.driver.api.yaml.YamlShardingSphereDataSourceFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Both algorithms in the real ShardingSphere, over two databases with two tables each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ShardingScenario {
    private static final Gene GENE = new Gene(4);
    private static final IdLayout LAYOUT = IdLayout.builder()
            .timeBits(41)
            .workerBits(6)
            .sequenceBits(12)
            .epoch(IdLayout.twitter().epoch())
            .build();
    private static final GeneGenerator ORDERS =
            GeneGenerator.create(SnowflakeGenerator.create(LAYOUT, WorkerId.fixed(1)), GENE);
    private final List<Connection> databases = new ArrayList<>();
    private DataSource shop;

    /** Connections to two databases that are there at least as long as these are. */
    abstract List<Connection> connect() throws SQLException;

    /** The configuration of the page, for these databases. */
    abstract String over(String yaml);

    @BeforeAll
    void open() throws Exception {
        databases.addAll(connect());
        for (Connection database : databases) {
            try (Statement statement = database.createStatement()) {
                for (int table = 0; table < 2; table++) {
                    statement.execute("create table t_order_" + table
                            + " (order_id bigint primary key, user_id bigint, item varchar(20))");
                }
                statement.execute("create table t_log (log_id bigint primary key, line varchar(20))");
            }
        }
        try (InputStream yaml = ShardingScenario.class.getResourceAsStream("shop.yaml")) {
            String text = new String(yaml.readAllBytes(), StandardCharsets.UTF_8);
            shop = YamlShardingSphereDataSourceFactory.createDataSource(
                    over(text).getBytes(StandardCharsets.UTF_8));
        }
    }

    @AfterAll
    void close() throws Exception {
        ((AutoCloseable) shop).close();
        for (Connection database : databases) {
            database.close();
        }
    }

    @Test
    void anOrderIsWhereItsUserIs() throws SQLException {
        Set<String> used = new HashSet<>();
        for (long user = 100; user < 130; user++) {
            long order = ORDERS.idFor(user);
            update("insert into t_order (order_id, user_id, item) values (?, ?, 'shoes')", order, user);
            int shard = GENE.shardFor(user);
            assertThat(GENE.shardOf(order)).isEqualTo(shard);
            assertThat(count(
                            shard & 1,
                            "select count(*) from t_order_" + (shard >> 1 & 1) + " where order_id = " + order))
                    .isEqualTo(1);
            used.add((shard & 1) + "/" + (shard >> 1 & 1));

            // A row with the same number where it does not belong: only who looks there would find it.
            int astray = shard & 1 ^ 1;
            try (Statement wrong = databases.get(astray).createStatement()) {
                wrong.execute("insert into t_order_0 values (" + order + ", " + user + ", 'astray')");
            }
            assertThat(items("select item from t_order where order_id = ?", order))
                    .containsExactly("shoes");
            assertThat(items("select item from t_order where user_id = ?", user))
                    .containsExactly("shoes");
            assertThat(items("select item from t_order where order_id = ? and user_id = ?", order, user))
                    .containsExactly("shoes");
            assertThat(items("select item from t_order where order_id between ? and ?", order, order))
                    .containsExactlyInAnyOrder("shoes", "astray");
            try (Statement wrong = databases.get(astray).createStatement()) {
                wrong.execute("delete from t_order_0 where item = 'astray'");
            }
        }
        assertThat(used).containsExactlyInAnyOrder("0/0", "0/1", "1/0", "1/1");
    }

    @Test
    void anOrderOfSomebodyElseIsNotFound() throws SQLException {
        long order = ORDERS.idFor(1000);
        update("insert into t_order (order_id, user_id, item) values (?, ?, 'hat')", order, 1000L);
        for (long other = 1001; other < 1010; other++) {
            assertThat(items("select item from t_order where order_id = ? and user_id = ?", order, other))
                    .isEmpty();
        }
    }

    @Test
    void severalOrdersAreFoundWhereTheyAre() throws SQLException {
        long one = ORDERS.idFor(2000);
        long two = ORDERS.idFor(2001);
        update("insert into t_order (order_id, user_id, item) values (?, 2000, 'a')", one);
        update("insert into t_order (order_id, user_id, item) values (?, 2001, 'b')", two);
        assertThat(items("select item from t_order where order_id in (?, ?) order by item", one, two))
                .containsExactly("a", "b");
    }

    @Test
    void aColumnThatIsLeftOutGetsItsNumbers() throws SQLException {
        try (Connection connection = shop.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "insert into t_log (line) values ('a'), ('b')", Statement.RETURN_GENERATED_KEYS)) {
            assertThat(insert.executeUpdate()).isEqualTo(2);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                for (int i = 0; i < 2; i++) {
                    assertThat(keys.next()).isTrue();
                    long key = keys.getLong(1);
                    assertThat(IdLayout.twitter().decode(key).workerId()).isEqualTo(7);
                    assertThat(count(0, "select count(*) from t_log where log_id = " + key))
                            .isEqualTo(1);
                }
            }
        }
    }

    private void update(String sql, Object... arguments) throws SQLException {
        try (Connection connection = shop.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
    }

    private List<String> items(String sql, Object... arguments) throws SQLException {
        List<String> items = new ArrayList<>();
        try (Connection connection = shop.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    items.add(rows.getString(1));
                }
            }
        }
        return items;
    }

    private long count(int database, String sql) throws SQLException {
        try (Statement statement = databases.get(database).createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
