package dev.tenon.jdbc;

import java.util.UUID;

class H2LockLeakTest extends SqlLockLeak {
    H2LockLeakTest() {
        super("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }
}
