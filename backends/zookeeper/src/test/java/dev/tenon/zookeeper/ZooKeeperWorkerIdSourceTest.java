package dev.tenon.zookeeper;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.WorkerIdSourceContract;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** Sessions are slow to begin and end, so all tests share two. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ZooKeeperWorkerIdSourceTest extends WorkerIdSourceContract {
    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend there = PatientZooKeeper.connect(address);

    @Override
    protected WorkerIdSource source(String group) {
        return here.workerIds(group);
    }

    @Override
    protected WorkerIdSource otherSource(String group) {
        return there.workerIds(group);
    }

    @AfterAll
    void close() {
        here.close();
        there.close();
    }
}
