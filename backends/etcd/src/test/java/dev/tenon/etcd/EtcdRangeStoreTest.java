package dev.tenon.etcd;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.RangeStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

class EtcdRangeStoreTest extends RangeStoreContract {
    /** A machine that is busy with other tests must not be taken for an etcd that is down. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final EtcdAddress ADDRESS = EtcdServer.shared();
    private static final EtcdBackend HERE = connect();
    private static final EtcdBackend THERE = connect();

    private static EtcdBackend connect() {
        return EtcdBackend.connect(EtcdOptions.of(ADDRESS.endpoint())
                .withKeyPrefix(ADDRESS.keyPrefix())
                .withCommandTimeout(PATIENCE));
    }

    @Override
    protected RangeStore store() {
        return HERE.ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return THERE.ranges();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
