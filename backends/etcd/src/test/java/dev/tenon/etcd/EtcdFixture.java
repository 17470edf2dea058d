package dev.tenon.etcd;

import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture;
import java.time.Duration;

/** etcd, for the suites that break it; its place is endpoint and key prefix. Public, as other JVMs make one too. */
public final class EtcdFixture implements LockStoreFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Override
    public TestServer start() {
        return EtcdServer.start();
    }

    @Override
    public String newPlace(TestServer server) {
        EtcdAddress address = ((EtcdServer) server).address();
        return address.endpoint() + " " + address.keyPrefix();
    }

    @Override
    public Backend open(String place) {
        String[] words = place.split(" ");
        EtcdBackend backend = EtcdBackend.connect(
                EtcdOptions.of(words[0]).withKeyPrefix(words[1]).withCommandTimeout(TIMEOUT));
        return new Backend(backend.lockStore(), backend::close);
    }
}
