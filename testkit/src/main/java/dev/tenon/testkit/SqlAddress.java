package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One database of an SQL server, and a user who may do everything there. The driver is the test's own.
 *
 * @param url the JDBC URL: {@code jdbc:kind://host:port/database}, options may follow behind a question mark
 * @param user the user
 * @param password the user's password
 */
public record SqlAddress(String url, String user, String password) {
    private static final Pattern URL = Pattern.compile("(jdbc:[a-z0-9]+://)([^/:?]+):(\\d+)/([^?]*)(\\?.*)?");

    /**
     * Checks the URL's form.
     *
     * @throws IllegalArgumentException if the URL does not have the form {@code jdbc:kind://host:port/database}
     */
    public SqlAddress {
        if (!URL.matcher(url).matches()) {
            throw new IllegalArgumentException("not of the form jdbc:kind://host:port/database: " + url);
        }
    }

    /** The database's name. */
    public String database() {
        return parts().group(4);
    }

    /** The server's address, for a {@link FaultProxy} to it. */
    public InetSocketAddress socket() {
        Matcher parts = parts();
        return new InetSocketAddress(parts.group(2), Integer.parseInt(parts.group(3)));
    }

    /** The same database by another way, such as through a {@link FaultProxy}. */
    public SqlAddress at(InetSocketAddress way) {
        return with(way.getHostString() + ":" + way.getPort(), database());
    }

    /**
     * The same database with more options of the driver: {@code name=value}, several with an ampersand between them.
     */
    public SqlAddress with(String more) {
        return new SqlAddress(url + (url.contains("?") ? "&" : "?") + more, user, password);
    }

    /**
     * A connection of its own.
     *
     * @throws SQLException if there is none, or no driver for the URL on the class path
     */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /**
     * A new, empty database of the same server.
     *
     * @throws IllegalStateException if the server refuses, or the class path has no driver for it
     */
    public SqlAddress newDatabase() {
        String name =
                "tenon_test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("no new database on " + url, e);
        }
        Matcher parts = parts();
        return with(parts.group(2) + ":" + parts.group(3), name);
    }

    private SqlAddress with(String hostAndPort, String database) {
        Matcher parts = parts();
        String options = parts.group(5) == null ? "" : parts.group(5);
        return new SqlAddress(parts.group(1) + hostAndPort + "/" + database + options, user, password);
    }

    private Matcher parts() {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalStateException(url);
        }
        return parts;
    }

    /** The server that the environment names, or the one that the default makes. */
    static SqlAddress fromEnvironment(String variable, java.util.function.Supplier<SqlAddress> otherwise) {
        String url = System.getenv(variable);
        if (url == null || url.isBlank()) {
            return otherwise.get();
        }
        String user = System.getenv(variable + "_USER");
        String password = System.getenv(variable + "_PASSWORD");
        return new SqlAddress(url.strip(), user == null ? "tenon" : user, password == null ? "tenon" : password);
    }
}
