package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;

class MariaDbRegressionTest extends JdbcRegressionScenario {
    MariaDbRegressionTest() {
        super(MariaDbServer.shared());
    }
}
