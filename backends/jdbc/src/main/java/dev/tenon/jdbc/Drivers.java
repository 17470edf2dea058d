package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;

/** Connections by the drivers of the application, which brings the one of its database and no other. */
final class Drivers {
    private static final String MARIADB = "org.mariadb.jdbc:mariadb-java-client";

    /** What to add for a URL that begins so. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "jdbc:h2:",
            "com.h2database:h2",
            "jdbc:mariadb:",
            MARIADB,
            "jdbc:mysql:",
            "com.mysql:mysql-connector-j (or " + MARIADB + ", which takes the URL if permitMysqlScheme is in it)",
            "jdbc:postgresql:",
            "org.postgresql:postgresql");

    private Drivers() {}

    /**
     * Connects.
     *
     * @throws SQLException which names what to add, if no driver takes the URL; or that of the driver
     */
    static Connection connect(String url, Properties properties) throws SQLException {
        try {
            return DriverManager.getConnection(url, properties);
        } catch (SQLException e) {
            if (anyTakes(url)) {
                throw e;
            }
            // not with that one as its cause, which has the whole URL in it, and with that a password
            throw new SQLException(missing(url), e.getSQLState());
        }
    }

    private static boolean anyTakes(String url) {
        try {
            DriverManager.getDriver(url);
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    private static String missing(String url) {
        return ARTIFACTS.entrySet().stream()
                .filter(known -> url.startsWith(known.getKey()))
                .map(known -> "No driver for " + known.getKey() + " is on the class path; add " + known.getValue())
                .findFirst()
                .orElse("No driver for this URL is on the class path");
    }
}
