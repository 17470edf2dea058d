package dev.tenon.etcd;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.WorkerIdSourceContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

class EtcdWorkerIdSourceTest extends WorkerIdSourceContract {
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
    protected WorkerIdSource source(String group) {
        return HERE.workerIds(group);
    }

    @Override
    protected WorkerIdSource otherSource(String group) {
        return THERE.workerIds(group);
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
