package dev.tenon.zookeeper;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** Sessions are slow to begin and end, so all tests share two. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ZooKeeperRangeStoreTest extends RangeStoreContract {
    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend there = PatientZooKeeper.connect(address);

    @Override
    protected RangeStore store() {
        return here.ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return there.ranges();
    }

    @AfterAll
    void close() {
        here.close();
        there.close();
    }
}
