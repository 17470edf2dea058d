package dev.tenon.jdbc;

import dev.tenon.testkit.MySqlServer;

class MySqlRegressionTest extends JdbcRegressionScenario {
    MySqlRegressionTest() {
        super(MySqlServer.shared());
    }
}
