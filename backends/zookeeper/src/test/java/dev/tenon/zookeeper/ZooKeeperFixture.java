package dev.tenon.zookeeper;

import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.ZooKeeperServer;
import dev.tenon.testkit.faults.LockStoreFixture;
import java.time.Duration;

/** ZooKeeper, for the suites that break it; its place is a connect string. Public, as other JVMs make one too. */
public final class ZooKeeperFixture implements LockStoreFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Override
    public TestServer start() {
        return ZooKeeperServer.start();
    }

    @Override
    public String newPlace(TestServer server) {
        return ((ZooKeeperServer) server).address().newRoot().connectString();
    }

    @Override
    public Backend open(String place) {
        ZooKeeperBackend backend =
                ZooKeeperBackend.connect(place, ZooKeeperOptions.DEFAULT.withRequestTimeout(TIMEOUT));
        return new Backend(backend.lockStore(), backend::close);
    }
}
