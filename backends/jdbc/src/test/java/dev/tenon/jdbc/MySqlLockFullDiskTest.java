package dev.tenon.jdbc;

import dev.tenon.testkit.faults.LockFullDiskContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class MySqlLockFullDiskTest extends LockFullDiskContract {
    @Override
    protected LockStoreFixture fixture() {
        return new SqlFixture.MySql();
    }
}
