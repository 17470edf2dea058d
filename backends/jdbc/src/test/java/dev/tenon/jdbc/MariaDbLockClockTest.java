package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockClockContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class MariaDbLockClockTest extends LockClockContract {
    @Override
    protected LockStoreFixture fixture() {
        return new SqlFixture.MariaDb();
    }

    @Override
    protected TestServer startWithClock() {
        return MariaDbServer.startWithClock();
    }
}
