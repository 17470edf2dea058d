package dev.tenon.zookeeper;

import dev.tenon.testkit.faults.LockFaultsContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class ZooKeeperBrokenLockTest extends LockFaultsContract {
    @Override
    protected LockStoreFixture fixture() {
        return new ZooKeeperFixture();
    }
}
