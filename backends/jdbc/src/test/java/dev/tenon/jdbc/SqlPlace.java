package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.function.Supplier;

/** A new database, with backends on it and connections of an application's own. */
final class SqlPlace {
    private final Supplier<JdbcBackend> backend;
    private final Connector connector;

    private SqlPlace(Supplier<JdbcBackend> backend, Connector connector) {
        this.backend = backend;
        this.connector = connector;
    }

    private interface Connector {
        Connection connect() throws SQLException;
    }

    static SqlPlace h2() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
        return new SqlPlace(() -> JdbcBackend.connect(url), () -> DriverManager.getConnection(url));
    }

    static SqlPlace mariaDb() {
        return on(MariaDbServer.shared());
    }

    static SqlPlace mySql() {
        return on(MySqlServer.shared());
    }

    /** The default from MariaDB 11.6 on: a row that has changed since the transaction began is an error. */
    static SqlPlace mariaDbWithSnapshots() {
        SqlAddress at = MariaDbServer.shared();
        return new SqlPlace(() -> TwoBackends.connect(at), () -> {
            Connection connection = at.connect();
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET innodb_snapshot_isolation = ON");
            }
            return connection;
        });
    }

    static SqlPlace postgres() {
        return on(PostgresServer.shared());
    }

    private static SqlPlace on(SqlAddress at) {
        return new SqlPlace(() -> TwoBackends.connect(at), at::connect);
    }

    /** A backend, as one process has it. */
    JdbcBackend open() {
        return backend.get();
    }

    /** A connection of the application's own. */
    Connection connect() throws SQLException {
        return connector.connect();
    }
}
