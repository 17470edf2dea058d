package dev.tenon.spring;

import dev.tenon.testkit.SqlAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What the tests of the starter share. */
final class Starter {
    private Starter() {}

    /** Every auto-configuration, as an application gets them. */
    static Class<?>[] autoConfigurations() {
        String file = "/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";
        try (InputStream names = TenonAutoConfiguration.class.getResourceAsStream(file)) {
            return new String(names.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(Starter::type)
                    .toArray(Class<?>[]::new);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number that a query answers. */
    static long count(SqlAddress database, String query) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
