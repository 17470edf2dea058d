package dev.tenon.etcd;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.LockScriptContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

class EtcdLockScriptTest extends LockScriptContract {
    /** A machine that is busy with other tests must not be taken for an etcd that is down. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final EtcdAddress address = EtcdServer.shared();
    private final EtcdOptions options = EtcdOptions.of(address.endpoint())
            .withKeyPrefix(address.keyPrefix())
            .withCommandTimeout(PATIENCE);
    private final EtcdBackend here = EtcdBackend.connect(options);
    private final EtcdBackend there = EtcdBackend.connect(options);

    @Override
    protected LockStore store() {
        return here.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return there.lockStore();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }
}
