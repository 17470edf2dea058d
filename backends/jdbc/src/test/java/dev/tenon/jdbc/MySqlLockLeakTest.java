package dev.tenon.jdbc;

import dev.tenon.testkit.MySqlServer;

class MySqlLockLeakTest extends SqlLockLeak {
    MySqlLockLeakTest() {
        super(MySqlServer.shared());
    }
}
