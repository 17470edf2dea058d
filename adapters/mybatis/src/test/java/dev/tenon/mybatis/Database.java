package dev.tenon.mybatis;

import dev.tenon.id.IdGenerator;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;

/** An H2 with one table. */
final class Database {
    private Database() {}

    static Environment with(String table) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(table);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new Environment("h2", new JdbcTransactionFactory(), source);
    }

    /** Numbers from 1, and how often they were asked for. */
    static final class Counting implements IdGenerator {
        long last;
        int calls;

        @Override
        public long nextId() {
            calls++;
            return ++last;
        }

        @Override
        public void fill(long[] ids) {
            calls++;
            for (int i = 0; i < ids.length; i++) {
                ids[i] = ++last;
            }
        }
    }
}
