package dev.tenon.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A segment of a thousand numbers, fetched from a table. */
final class SegmentContenders {
    private static final int STEP = 1_000;

    private SegmentContenders() {}

    static Contender tenon(SqlAddress address) {
        JdbcBackend backend = JdbcBackend.connect(address.url(), address.user(), address.password());
        return new Timed("Tenon", name -> backend.ranges().next(name, STEP).last(), backend::close);
    }

    /** The statements that CosId's JDBC distributor and Leaf have: an update and a read, in one transaction. */
    static Contender updateAndRead(SqlAddress address) {
        HikariDataSource pool = SqlPool.to(address);
        SqlPool.execute(pool, "CREATE TABLE segments (name VARCHAR(100) PRIMARY KEY, last_max_id BIGINT NOT NULL)");
        return new Timed(
                "update and read, as CosId JDBC and Leaf do",
                name -> {
                    try (Connection connection = pool.getConnection()) {
                        connection.setAutoCommit(false);
                        if (update(
                                        connection,
                                        "UPDATE segments SET last_max_id = last_max_id + 1000 WHERE name = ?",
                                        name)
                                == 0) {
                            update(connection, "INSERT INTO segments VALUES (?, 1000)", name);
                        }
                        long last = read(connection, name);
                        connection.commit();
                        return last;
                    }
                },
                pool::close);
    }

    private static int update(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            return statement.executeUpdate();
        }
    }

    private static long read(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT last_max_id FROM segments WHERE name = ?")) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private interface Fetch {
        long from(String name) throws SQLException;
    }

    private record Timed(String title, Fetch fetch, Runnable end) implements Contender {
        @Override
        public long once(String name) throws Exception {
            long from = System.nanoTime();
            fetch.from(name);
            return System.nanoTime() - from;
        }

        @Override
        public void close() {
            end.run();
        }
    }
}
