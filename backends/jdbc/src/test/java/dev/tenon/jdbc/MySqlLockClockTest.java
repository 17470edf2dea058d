package dev.tenon.jdbc;

import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockClockContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class MySqlLockClockTest extends LockClockContract {
    @Override
    protected LockStoreFixture fixture() {
        return new SqlFixture.MySql();
    }

    @Override
    protected TestServer startWithClock() {
        return MySqlServer.startWithClock();
    }
}
