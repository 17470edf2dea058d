package dev.tenon.jdbc;

import dev.tenon.testkit.MySqlServer;
import java.time.Duration;
import java.util.List;

class ForgetfulMySqlTest extends ForgetfulDatabaseScenario<MySqlServer> {
    ForgetfulMySqlTest() {
        super(MySqlServer.start(), server -> server.address().newDatabase());
    }

    @Override
    Duration lease() {
        return Duration.ofSeconds(12);
    }

    @Override
    String like(String table, String name) {
        return "CREATE TABLE " + name + " LIKE " + table;
    }

    @Override
    List<String> sessions(String url) {
        return List.of(
                url,
                url + "&sessionVariables=time_zone='%2B05:45'",
                url + "&sessionVariables=time_zone='-03:30',collation_connection=latin1_swedish_ci");
    }

    @Override
    List<String> replacement(String table, String by) {
        return List.of("RENAME TABLE " + table + " TO gone_, " + by + " TO " + table, "DROP TABLE gone_");
    }
}
