package dev.tenon.redis;

import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockClockContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class RedisLockClockTest extends LockClockContract {
    @Override
    protected LockStoreFixture fixture() {
        return new RedisFixture();
    }

    @Override
    protected TestServer startWithClock() {
        return RedisServer.startWithClock();
    }
}
