package dev.tenon.zookeeper;

import dev.tenon.lock.engine.RegisterStore;
import dev.tenon.testkit.RegisterStoreContract;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class ZooKeeperRegisterStoreTest extends RegisterStoreContract {
    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final List<ZooKeeperBackend> processes = new ArrayList<>();

    @Override
    protected RegisterStore process() {
        ZooKeeperBackend process = PatientZooKeeper.connect(address);
        processes.add(process);
        return new ZooKeeperRegisterStore(process.link());
    }

    @AfterEach
    void close() {
        processes.forEach(ZooKeeperBackend::close);
    }
}
