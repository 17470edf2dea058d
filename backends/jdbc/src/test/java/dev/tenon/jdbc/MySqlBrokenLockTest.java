package dev.tenon.jdbc;

import dev.tenon.testkit.faults.LockFaultsContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class MySqlBrokenLockTest extends LockFaultsContract {
    @Override
    protected LockStoreFixture fixture() {
        return new SqlFixture.MySql();
    }
}
