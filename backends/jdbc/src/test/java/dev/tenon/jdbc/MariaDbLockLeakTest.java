package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;

class MariaDbLockLeakTest extends SqlLockLeak {
    MariaDbLockLeakTest() {
        super(MariaDbServer.shared());
    }
}
