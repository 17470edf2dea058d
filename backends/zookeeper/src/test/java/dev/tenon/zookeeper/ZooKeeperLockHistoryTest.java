package dev.tenon.zookeeper;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import dev.tenon.testkit.faults.LockHistoryContract;
import org.junit.jupiter.api.AfterEach;

class ZooKeeperLockHistoryTest extends LockHistoryContract {
    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend there = PatientZooKeeper.connect(address);

    @Override
    protected LockStore store() {
        return here.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return there.lockStore();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }
}
