package dev.tenon.zookeeper;

import dev.tenon.testkit.faults.LockFullDiskContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class ZooKeeperLockFullDiskTest extends LockFullDiskContract {
    @Override
    protected LockStoreFixture fixture() {
        return new ZooKeeperFixture();
    }
}
