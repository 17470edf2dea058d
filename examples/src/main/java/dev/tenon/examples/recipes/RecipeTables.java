package dev.tenon.examples.recipes;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.stream.Collectors;

/** Makes the tables of the recipes: the lock tables are SQL files beside the JDBC store. */
final class RecipeTables {
    private static final String STOCK =
            "CREATE TABLE recipe_stock (id BIGINT PRIMARY KEY, sku VARCHAR(40) NOT NULL, n INT NOT NULL, version INT NOT NULL)";

    private RecipeTables() {}

    /** {@code method_lock} and {@code resource_lock}, unless they are there. */
    static void createLockTables(Connection connection) throws SQLException {
        String database = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        for (String sql :
                read("/dev/tenon/jdbc/" + database + "/recipe/method-lock.sql").split(";")) {
            if (!sql.isBlank()) {
                execute(connection, sql);
            }
        }
    }

    /** {@code recipe_stock} with these items: 10 of each; the number of the item is its ID. */
    static void createStock(Connection connection, int... items) throws SQLException {
        execute(connection, STOCK);
        for (int item : items) {
            execute(connection, "INSERT INTO recipe_stock VALUES (" + item + ", 'sku-" + item + "', 10, 0)");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String read(String file) {
        try (InputStream in = RecipeTables.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("There is no " + file);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new IllegalStateException(file, e);
        }
    }
}
