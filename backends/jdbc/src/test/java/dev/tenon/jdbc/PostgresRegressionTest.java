package dev.tenon.jdbc;

import dev.tenon.testkit.PostgresServer;

class PostgresRegressionTest extends JdbcRegressionScenario {
    PostgresRegressionTest() {
        super(PostgresServer.shared());
    }
}
