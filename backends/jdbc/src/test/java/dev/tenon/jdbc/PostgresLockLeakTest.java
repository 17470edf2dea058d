package dev.tenon.jdbc;

import dev.tenon.testkit.PostgresServer;

class PostgresLockLeakTest extends SqlLockLeak {
    PostgresLockLeakTest() {
        super(PostgresServer.shared());
    }
}
