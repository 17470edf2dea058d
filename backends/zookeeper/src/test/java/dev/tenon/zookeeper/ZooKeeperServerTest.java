package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import org.junit.jupiter.api.Test;

/** The fixture of the test kit, which runs the server of this module's class path. */
class ZooKeeperServerTest {
    @Test
    void pausedAndRestartedItHasThePortAndDataThatItHadAndClosedItIsGone() {
        ZooKeeperServer server = ZooKeeperServer.start();
        try {
            ZooKeeperAddress address = server.address();
            take(address, 1);
            server.pause();
            assertThat(server.running()).isTrue();
            server.resume();
            take(address, 2);
            server.pause();
            server.restart();
            assertThat(server.address()).isEqualTo(address);
            take(address, 3);
            server.kill();
            assertThat(server.running()).isFalse();
        } finally {
            server.close();
        }
        server.close();
        assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void sharedGivesATreeOfItsOwnOnOneServer() {
        ZooKeeperAddress one = ZooKeeperServer.shared();
        ZooKeeperAddress two = ZooKeeperServer.shared();
        assertThat(one.socket()).isEqualTo(two.socket());
        take(one, 1);
        take(one, 2);
        take(two, 1);
        assertThat(one.connectString()).isEqualTo(one.host() + ":" + one.port() + one.root());
    }

    private static void take(ZooKeeperAddress address, long expected) {
        try (ZooKeeperBackend zooKeeper = PatientZooKeeper.connect(address)) {
            assertThat(zooKeeper.ranges().next("sequence", 1).first()).isEqualTo(expected);
        }
    }
}
