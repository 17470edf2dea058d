package dev.tenon.jdbc;

import dev.tenon.testkit.faults.LockFaultsContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class MariaDbBrokenLockTest extends LockFaultsContract {
    @Override
    protected LockStoreFixture fixture() {
        return new SqlFixture.MariaDb();
    }
}
