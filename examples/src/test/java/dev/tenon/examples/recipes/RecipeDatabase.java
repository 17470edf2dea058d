package dev.tenon.examples.recipes;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Locks;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** A database with the tables of the recipes and the items 10, 20, … 60; and Tenon on it, as two processes have it. */
final class RecipeDatabase {
    private final String name;
    private final String url;
    private final String user;
    private final String password;
    private final JdbcBackend here;
    private final JdbcBackend there;

    private RecipeDatabase(String name, String url, String user, String password) throws SQLException {
        this.name = name;
        this.url = url;
        this.user = user;
        this.password = password;
        try (Connection connection = connect()) {
            RecipeTables.createLockTables(connection);
            RecipeTables.createStock(connection, 10, 20, 30, 40, 50, 60);
        }
        this.here = JdbcBackend.connect(url, user, password);
        this.there = JdbcBackend.connect(url, user, password);
    }

    static List<RecipeDatabase> all() throws SQLException {
        return List.of(
                h2(),
                on("mariadb", MariaDbServer.shared()),
                on("postgresql", PostgresServer.shared()),
                on("mysql", MySqlServer.shared()));
    }

    private static RecipeDatabase h2() throws SQLException {
        return new RecipeDatabase("h2", "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");
    }

    private static RecipeDatabase on(String name, SqlAddress address) throws SQLException {
        return new RecipeDatabase(name, address.url(), address.user(), address.password());
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    Connection inTransactions() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    SqlAddress address() {
        return new SqlAddress(url, user, password);
    }

    JdbcBackend tenon() {
        return here;
    }

    Locks here() {
        return here.locks();
    }

    Locks there() {
        return there.locks();
    }

    /** Not AutoCloseable: JUnit closes the arguments of a test that are. */
    void disconnect() {
        here.close();
        there.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
