package dev.tenon.zookeeper;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;

class ZooKeeperLockStoreTest extends LockStoreContract {
    private static final ZooKeeperAddress ADDRESS = ZooKeeperServer.shared();
    private static final ZooKeeperBackend HERE = PatientZooKeeper.connect(ADDRESS);
    private static final ZooKeeperBackend THERE = PatientZooKeeper.connect(ADDRESS);

    @Override
    protected LockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
