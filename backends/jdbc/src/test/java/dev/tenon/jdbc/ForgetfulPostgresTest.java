package dev.tenon.jdbc;

import dev.tenon.testkit.PostgresServer;
import java.util.List;

class ForgetfulPostgresTest extends ForgetfulDatabaseScenario<PostgresServer> {
    ForgetfulPostgresTest() {
        super(PostgresServer.start(), server -> server.address().newDatabase());
    }

    @Override
    String like(String table, String name) {
        return "CREATE TABLE " + name + " (LIKE " + table + " INCLUDING ALL)";
    }

    @Override
    List<String> sessions(String url) {
        return List.of(
                url,
                url + "?options=-c%20TimeZone=Asia/Kathmandu%20-c%20extra_float_digits=-5",
                url + "?options=-c%20DateStyle=German%20-c%20TimeZone=America/St_Johns");
    }

    @Override
    List<String> replacement(String table, String by) {
        return List.of("BEGIN; DROP TABLE " + table + "; ALTER TABLE " + by + " RENAME TO " + table + "; COMMIT");
    }
}
