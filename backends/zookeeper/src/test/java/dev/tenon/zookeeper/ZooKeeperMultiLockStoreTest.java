package dev.tenon.zookeeper;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;

class ZooKeeperMultiLockStoreTest extends MultiLockStoreContract {
    private static final ZooKeeperAddress ADDRESS = ZooKeeperServer.shared();
    private static final ZooKeeperBackend HERE = PatientZooKeeper.connect(ADDRESS);
    private static final ZooKeeperBackend THERE = PatientZooKeeper.connect(ADDRESS);

    @Override
    protected MultiLockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected MultiLockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
