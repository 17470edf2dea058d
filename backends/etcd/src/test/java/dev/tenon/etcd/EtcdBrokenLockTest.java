package dev.tenon.etcd;

import dev.tenon.testkit.faults.LockFaultsContract;
import dev.tenon.testkit.faults.LockStoreFixture;

class EtcdBrokenLockTest extends LockFaultsContract {
    @Override
    protected LockStoreFixture fixture() {
        return new EtcdFixture();
    }
}
