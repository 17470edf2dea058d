package dev.tenon.etcd;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.LockStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

class EtcdLockStoreTest extends LockStoreContract {
    /** A machine that is busy with other tests must not be taken for an etcd that is down. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final EtcdAddress ADDRESS = EtcdServer.shared();
    private static final EtcdOptions OPTIONS = EtcdOptions.of(ADDRESS.endpoint())
            .withKeyPrefix(ADDRESS.keyPrefix())
            .withCommandTimeout(PATIENCE);
    private static final EtcdBackend HERE = EtcdBackend.connect(OPTIONS);
    private static final EtcdBackend THERE = EtcdBackend.connect(OPTIONS);

    @Override
    protected LockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
