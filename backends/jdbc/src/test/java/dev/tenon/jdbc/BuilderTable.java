package dev.tenon.jdbc;

import dev.tenon.testkit.BuilderConfigStoreContract.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;

/** The ID-builder table of a database, as its keeper and as foreign instances of the service see it. */
final class BuilderTable implements AutoCloseable {
    private final Connection connection;

    BuilderTable(Connection connection) {
        this.connection = connection;
    }

    /** What a row says about who moved it, and when. */
    record Moved(long threshold, int version, String description, long initNum, Timestamp updated) {}

    void put(Row row) {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM t_id_builder_config WHERE id = ?");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO t_id_builder_config"
                        + " (id, des, init_num, current_threshold, step, biz_code, is_seq)"
                        + " VALUES (?, 'a code', 0, ?, ?, ?, ?)")) {
            delete.setInt(1, row.code());
            delete.executeUpdate();
            insert.setInt(1, row.code());
            insert.setObject(2, row.threshold(), Types.BIGINT);
            insert.setObject(3, row.step(), Types.INTEGER);
            insert.setString(4, row.bizCode());
            insert.setInt(5, row.isSeq());
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    void execute(String statement) throws SQLException {
        try (Statement any = connection.createStatement()) {
            any.execute(statement);
        }
    }

    Moved row(int code) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT current_threshold, version, des, init_num, update_time FROM t_id_builder_config WHERE id = "
                                + code)) {
            row.next();
            return new Moved(row.getLong(1), row.getInt(2), row.getString(3), row.getLong(4), row.getTimestamp(5));
        }
    }

    /** Takes a segment as the service itself does: reads without a transaction, and writes under the version. */
    long takeAsForeignInstance(int code) throws SQLException {
        try (PreparedStatement read =
                        connection.prepareStatement("SELECT * FROM t_id_builder_config WHERE id = ? FOR UPDATE");
                PreparedStatement write =
                        connection.prepareStatement("UPDATE t_id_builder_config SET current_threshold = ?,"
                                + " version = version + 1 WHERE id = ? AND version = ?")) {
            for (int attempt = 0; attempt < 10_000; attempt++) {
                read.setInt(1, code);
                try (ResultSet row = read.executeQuery()) {
                    row.next();
                    long threshold = row.getLong("current_threshold");
                    write.setLong(1, threshold + row.getInt("step"));
                    write.setInt(2, code);
                    write.setInt(3, row.getInt("version"));
                    if (write.executeUpdate() == 1) {
                        return threshold;
                    }
                }
            }
            throw new AssertionError("10 000 attempts were not enough");
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
