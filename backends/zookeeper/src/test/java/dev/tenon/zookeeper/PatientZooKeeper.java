package dev.tenon.zookeeper;

import dev.tenon.testkit.ZooKeeperAddress;
import java.time.Duration;

/**
 * Connects for suites that are not about time: a machine that is busy must not be taken for a ZooKeeper that is down.
 */
final class PatientZooKeeper {
    private static final ZooKeeperOptions OPTIONS = ZooKeeperOptions.DEFAULT.withRequestTimeout(Duration.ofSeconds(30));

    private PatientZooKeeper() {}

    static ZooKeeperBackend connect(ZooKeeperAddress address) {
        return ZooKeeperBackend.connect(address.connectString(), OPTIONS);
    }
}
