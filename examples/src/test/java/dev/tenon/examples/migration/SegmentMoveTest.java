package dev.tenon.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.jdbc.JdbcBackend;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** From tables that hand out segments, Leaf's, CosId's and the ID builder's, without a number that two have. */
class SegmentMoveTest {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @Test
    void fromLeaf() throws SQLException {
        sql("CREATE TABLE leaf_alloc (biz_tag VARCHAR(128) PRIMARY KEY, max_id BIGINT NOT NULL, step INT NOT NULL,"
                + " description VARCHAR(256), update_time TIMESTAMP)");
        sql("INSERT INTO leaf_alloc VALUES ('order', 120001, 2000, '', CURRENT_TIMESTAMP)");
        assertThat(leafSegment()).isEqualTo(120_001); // 120001 to 122000

        try (JdbcBackend backend = JdbcBackend.connect(url)) {
            // tag::leaf[]
            long floor = 10_000_000; // far above max_id: room for the processes that still run with Leaf
            sql("ALTER TABLE leaf_alloc ADD CONSTRAINT moved CHECK (biz_tag <> 'order' OR max_id <= 10000000)");
            backend.ranges().raiseTo("order", floor); // as often as you like: at every start
            SegmentGenerator ids = SegmentGenerator.create(backend.ranges(), "order");
            // end::leaf[]

            assertThat(ids.nextId()).isGreaterThan(floor);
            assertThat(leafSegment()).isEqualTo(122_001); // the old ones go on meanwhile
            sql("UPDATE leaf_alloc SET max_id = 9999000 WHERE biz_tag = 'order'");
            // and would rather fail than come where the new ones are
            assertThatThrownBy(this::leafSegment).isInstanceOf(SQLException.class);
        }
    }

    /**
     * As Leaf does it: UPDATE … SET max_id = max_id + step, and SELECT, in one transaction. The first number of the
     * segment.
     */
    private long leafSegment() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'order'");
            try (ResultSet row =
                    statement.executeQuery("SELECT max_id, step FROM leaf_alloc WHERE biz_tag = 'order'")) {
                row.next();
                long first = row.getLong("max_id") - row.getLong("step");
                connection.commit();
                return first;
            }
        }
    }

    @Test
    void theTableOfTheIdBuilderIsUsedAsItIs() throws SQLException {
        try (JdbcBackend backend = JdbcBackend.connect(url)) {
            backend.createIdBuilderTable();
            sql(
                    "INSERT INTO t_id_builder_config (id, des, init_num, current_threshold, step, biz_code, version, is_seq)"
                            + " VALUES (1, 'orders', 1, 5001, 100, 'order_', 50, 0)");
            // tag::builder[]
            try (LocalIdBuilder ids = LocalIdBuilder.create(backend.builderConfigs())) {
                long next = ids.unionSeqId(1); // from the row of code 1, beside what still runs
                assertThat(next).isEqualTo(5001);
            }
            // end::builder[]
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement query = connection.prepareStatement(
                            "SELECT current_threshold FROM t_id_builder_config WHERE id = 1");
                    ResultSet row = query.executeQuery()) {
                row.next();
                assertThat(row.getLong(1)).isEqualTo(5101);
            }
        }
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }
}
