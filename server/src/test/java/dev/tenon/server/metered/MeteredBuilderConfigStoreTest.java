package dev.tenon.server.metered;

import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.BuilderConfigStoreContract;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MeteredBuilderConfigStoreTest extends BuilderConfigStoreContract {
    private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private static final String PUT = "MERGE INTO t_id_builder_config"
            + " (id, des, init_num, current_threshold, step, biz_code, is_seq) KEY (id)"
            + " VALUES (?, 'a code', 0, ?, ?, ?, ?)";

    private static JdbcBackend one;
    private static JdbcBackend other;

    @BeforeAll
    static void connect() {
        one = JdbcBackend.connect(URL, "sa", "");
        other = JdbcBackend.connect(URL, "sa", "");
        one.createIdBuilderTable();
    }

    @AfterAll
    static void disconnect() {
        one.close();
        other.close();
    }

    @Override
    protected BuilderConfigStore store() {
        return new MeteredBuilderConfigStore(one.builderConfigs(), Timed.part("codes"));
    }

    @Override
    protected BuilderConfigStore otherStore() {
        return new MeteredBuilderConfigStore(other.builderConfigs(), Timed.part("codes"));
    }

    @Override
    protected void put(Row row) {
        try (Connection connection = DriverManager.getConnection(URL, "sa", "");
                PreparedStatement put = connection.prepareStatement(PUT)) {
            put.setInt(1, row.code());
            put.setObject(2, row.threshold());
            put.setObject(3, row.step());
            put.setString(4, row.bizCode());
            put.setInt(5, row.isSeq());
            put.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
