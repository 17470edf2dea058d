package dev.tenon.jdbc;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.StoreRegressionContract;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database whose rows are replaced by those of a dump while its users are connected. */
abstract class JdbcRegressionScenario extends StoreRegressionContract {
    private static final int COLUMNS = 6;

    private final SqlAddress address;
    private final List<Object[]> dump = new ArrayList<>();
    private JdbcBackend backend;

    JdbcRegressionScenario(SqlAddress address) {
        this.address = address;
    }

    @BeforeEach
    void open() {
        backend = TwoBackends.connect(address);
        backend.ranges().next("another", 1); // makes the tables
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Override
    protected RangeStore store() {
        return backend.ranges();
    }

    @Override
    protected void save() {
        dump.clear();
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT name, start_value, step_size, max_value, last_given, given FROM tenon_range")) {
            while (row.next()) {
                Object[] values = new Object[COLUMNS];
                for (int i = 0; i < COLUMNS; i++) {
                    values[i] = row.getObject(i + 1);
                }
                dump.add(values);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void rollBack() {
        try (Connection connection = address.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement();
                    PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO tenon_range (name, start_value, step_size, max_value, last_given, given)"
                                    + " VALUES (?, ?, ?, ?, ?, ?)")) {
                statement.execute("DELETE FROM tenon_range");
                for (Object[] values : dump) {
                    for (int i = 0; i < COLUMNS; i++) {
                        insert.setObject(i + 1, values[i]);
                    }
                    insert.execute();
                }
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
