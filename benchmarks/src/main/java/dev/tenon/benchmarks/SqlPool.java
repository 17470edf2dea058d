package dev.tenon.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The connections of the contenders that bring none of their own: more than the benchmarks have threads. */
final class SqlPool {
    static final int CONNECTIONS = 20;

    private SqlPool() {}

    static HikariDataSource to(SqlAddress address) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        config.setUsername(address.user());
        config.setPassword(address.password());
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }

    static void execute(DataSource pool, String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
