package dev.tenon.redis;

import dev.tenon.testkit.faults.LockFullDiskContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class RedisLockFullDiskTest extends LockFullDiskContract {
    @Override
    protected LockStoreFixture fixture() {
        return new RedisFixture();
    }
}
