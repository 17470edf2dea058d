package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EtcdServerTest {
    @Test
    void killedAndRestartedItIsOnTheSamePort() {
        EtcdServer etcd = EtcdServer.start();
        try (etcd) {
            String endpoint = etcd.address().endpoint();
            assertThat(EtcdAddress.answersHealthy(etcd.socket())).isTrue();
            etcd.kill();
            assertThat(etcd.running()).isFalse();
            assertThat(EtcdAddress.answersHealthy(etcd.socket())).isFalse();
            etcd.restart();
            assertThat(EtcdAddress.answersHealthy(etcd.socket())).isTrue();
            assertThat(etcd.address().endpoint()).isEqualTo(endpoint);
            etcd.pause();
            etcd.restart();
            assertThat(etcd.running()).isTrue();
        }
        assertThat(etcd.running()).isFalse();
        assertThatThrownBy(etcd::restart).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void sharedGivesKeysOfItsOwnOnOneServer() {
        EtcdAddress one = EtcdServer.shared();
        EtcdAddress two = EtcdServer.shared();
        assertThat(one.endpoint()).isEqualTo(two.endpoint()).isEqualTo("http://" + one.host() + ":" + one.port());
        assertThat(one.keyPrefix()).isNotEqualTo(two.keyPrefix());
        assertThat(one.at(TestPort.loopback(1))).isEqualTo(new EtcdAddress("127.0.0.1", 1, one.keyPrefix()));
    }
}
