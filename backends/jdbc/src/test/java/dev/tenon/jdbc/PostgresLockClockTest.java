package dev.tenon.jdbc;

import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockClockContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class PostgresLockClockTest extends LockClockContract {
    @Override
    protected LockStoreFixture fixture() {
        return new SqlFixture.Postgres();
    }

    @Override
    protected TestServer startWithClock() {
        return PostgresServer.startWithClock();
    }
}
