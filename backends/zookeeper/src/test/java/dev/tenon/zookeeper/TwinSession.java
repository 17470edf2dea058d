package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ZooKeeperAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * Has the server end somebody's session: another connection with its ID and password, closed in an orderly way, does.
 */
final class TwinSession {
    private TwinSession() {}

    static void end(ZooKeeperAddress address, long session, byte[] password) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper twin = new ZooKeeper(
                address.host() + ":" + address.port(),
                20_000,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                session,
                password);
        assertThat(connected.await(30, TimeUnit.SECONDS)).isTrue();
        twin.close();
    }
}
