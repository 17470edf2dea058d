package dev.tenon.jdbc;

import dev.tenon.lock.spi.StoreTraits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What differs from one database to the next, as data: where its statements are, how it tells the time, what its errors
 * mean, and whether it can wake a waiter. Immutable.
 */
abstract sealed class Dialect permits H2Dialect, MariaDbDialect, MySqlDialect, PostgresDialect {
    private final String folder;
    private final String clock;

    /**
     * @param folder of its statements, in the resources of this package
     * @param clock an expression for microseconds since 1970-01-01T00:00:00Z, in any time zone of the session
     */
    Dialect(String folder, String clock) {
        this.folder = folder;
        this.clock = clock;
    }

    /** The dialect of a JDBC URL. */
    static Dialect ofUrl(String url) {
        for (Map.Entry<String, Dialect> known : Map.<String, Dialect>of(
                        "jdbc:h2:", new H2Dialect(),
                        "jdbc:mariadb:", new MariaDbDialect(),
                        "jdbc:mysql:", new MySqlDialect(),
                        "jdbc:postgresql:", new PostgresDialect())
                .entrySet()) {
            if (url.startsWith(known.getKey())) {
                return known.getValue();
            }
        }
        int colon = url.indexOf(':', "jdbc:".length());
        throw new IllegalArgumentException("No dialect for the database of "
                + (colon < 0 ? "this URL" : url.substring(0, colon + 1) + "…")
                + "; there is one for jdbc:h2:, jdbc:mariadb:, jdbc:mysql: and jdbc:postgresql:");
    }

    /** The dialect of a product, as {@link java.sql.DatabaseMetaData#getDatabaseProductName} has it. */
    static Dialect ofProduct(String product) {
        return switch (product) {
            case "H2" -> new H2Dialect();
            case "MariaDB" -> new MariaDbDialect();
            case "MySQL" -> new MySqlDialect();
            case "PostgreSQL" -> new PostgresDialect();
            default ->
                throw new IllegalArgumentException(
                        "No dialect for " + product + "; there is one for H2, MariaDB, MySQL and PostgreSQL");
        };
    }

    /** The folder of its statements. */
    final String folder() {
        return folder;
    }

    /** A statement that every dialect has: its own form, or else the common one. */
    final Sql sql(String name) {
        Sql own = ownSql(name);
        if (own != null) {
            return own;
        }
        return Sql.parse("every/" + name, filled(required("every/" + name + ".sql")));
    }

    /** A statement that only some dialects have. */
    final @Nullable Sql ownSql(String name) {
        String source = resource(folder + "/" + name + ".sql");
        return source == null ? null : Sql.parse(folder + "/" + name, filled(source));
    }

    /** The numbered scripts that make the tables, in their order. */
    final List<String> schema() {
        return List.of(required(folder + "/schema/001-tables.sql"));
    }

    /** What to tell the driver, unless the URL says otherwise. */
    abstract Properties driverProperties();

    /** How a waiter in another process learns of its grant. */
    StoreTraits.Push push() {
        return StoreTraits.Push.TIMED;
    }

    /** What wakes waiters in other processes. */
    Bell bell(BellContext context) {
        return new NoBell();
    }

    /** What an error means. */
    Failure failure(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.startsWith("08")) {
            return Failure.BROKEN;
        }
        if (state.startsWith("40") || state.equals("23505")) {
            return Failure.CONTENTION;
        }
        return state.startsWith("53") || state.startsWith("57") ? Failure.REFUSED : Failure.WRONG;
    }

    static Properties properties(String... pairs) {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty(pairs[i], pairs[i + 1]);
        }
        return properties;
    }

    private String filled(String source) {
        return source.replace("{clock}", clock);
    }

    private static String required(String path) {
        String source = resource(path);
        if (source == null) {
            throw new IllegalStateException("Not in this jar: dev/tenon/jdbc/" + path);
        }
        return source;
    }

    private static @Nullable String resource(String path) {
        try (InputStream in = Dialect.class.getResourceAsStream(path)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
