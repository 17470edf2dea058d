package dev.tenon.redis;

import dev.tenon.testkit.faults.LockFaultsContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class RedisBrokenLockTest extends LockFaultsContract {
    @Override
    protected LockStoreFixture fixture() {
        return new RedisFixture();
    }
}
