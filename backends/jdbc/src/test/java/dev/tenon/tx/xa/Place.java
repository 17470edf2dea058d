package dev.tenon.tx.xa;

import com.mysql.cj.jdbc.MysqlXADataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.XADataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;

/** A database with a table of its own, {@code moves}, and what it takes to be part of a transaction. */
record Place(XADataSource source, Connector connector, JdbcBackend backend) implements AutoCloseable {
    /** Ordinary connections. */
    interface Connector {
        Connection connect() throws SQLException;
    }

    static Place h2(String name) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        return new Place(source, source::getConnection, JdbcBackend.connect(source.getURL()));
    }

    static Place mariaDb(SqlAddress address) {
        return mariaDb(address, address);
    }

    /** @param way what the transactions take, such as through a proxy */
    static Place mariaDb(SqlAddress address, SqlAddress way) {
        return new Place(byMariaDbDriver(way), address::connect, backend(address));
    }

    /** MySQL, whose transactions take the driver of MariaDB. */
    static Place mySqlByMariaDbDriver(SqlAddress address, SqlAddress way) {
        String url = way.url().replace("jdbc:mysql:", "jdbc:mariadb:");
        return new Place(
                byMariaDbDriver(new SqlAddress(url, way.user(), way.password())), address::connect, backend(address));
    }

    private static MariaDbDataSource byMariaDbDriver(SqlAddress way) {
        try {
            MariaDbDataSource source = new MariaDbDataSource(
                    way.with("connectTimeout=15000&socketTimeout=30000").url());
            source.setUser(way.user());
            source.setPassword(way.password());
            return source;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static Place mySql(SqlAddress address) {
        return mySql(address, address);
    }

    /** @param way what the transactions take, such as through a proxy */
    static Place mySql(SqlAddress address, SqlAddress way) {
        MysqlXADataSource source = new MysqlXADataSource();
        source.setUrl(way.with("connectTimeout=15000&socketTimeout=30000").url());
        source.setUser(address.user());
        source.setPassword(address.password());
        return new Place(source, address::connect, backend(address));
    }

    /** Any of the servers, as its address says. */
    static Place of(SqlAddress address) {
        if (address.url().startsWith("jdbc:mysql:")) {
            return mySql(address);
        }
        return address.url().startsWith("jdbc:mariadb:") ? mariaDb(address) : postgres(address);
    }

    static Place postgres(SqlAddress address) {
        return postgres(address, address);
    }

    /** @param way what the transactions take, such as through a proxy */
    static Place postgres(SqlAddress address, SqlAddress way) {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(way.url() + "?connectTimeout=15&socketTimeout=30");
        source.setUser(address.user());
        source.setPassword(address.password());
        return new Place(source, address::connect, backend(address));
    }

    private static JdbcBackend backend(SqlAddress address) {
        return JdbcBackend.connect(address.url(), address.user(), address.password());
    }

    /** Makes the tables. */
    Place prepared() {
        execute("CREATE TABLE moves (id VARCHAR(80) PRIMARY KEY, amount INT)");
        return this;
    }

    XaDatabase database() {
        return XaDatabase.of(source, backend.barrierStore());
    }

    void execute(String sql) {
        try (Connection connection = connector.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    int count(String where) {
        try (Connection connection = connector.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM moves WHERE " + where)) {
            rows.next();
            return rows.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean has(String id) {
        return count("id = '" + id + "'") == 1;
    }

    /** Whether some connection waits for a row of this table, or is at least at it. */
    boolean isWaitedFor(String table) {
        try (Connection connection = connector.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        connection.getMetaData().getDatabaseProductName().startsWith("Postgre")
                                ? "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"
                                        + table + "%'"
                                : "SELECT COUNT(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID()"
                                        + " AND info LIKE '%" + table + "%'")) {
            rows.next();
            return rows.getInt(1) > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The work of a branch. */
    static void move(Connection connection, String id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO moves VALUES ('" + id + "', 1)");
        }
    }

    @Override
    public void close() {
        backend.close();
    }
}
