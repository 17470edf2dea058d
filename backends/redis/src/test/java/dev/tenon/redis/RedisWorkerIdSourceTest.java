package dev.tenon.redis;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.WorkerIdSourceContract;
import org.junit.jupiter.api.AfterAll;

class RedisWorkerIdSourceTest extends WorkerIdSourceContract {
    private static final RedisAddress ADDRESS = RedisServer.shared();
    private static final RedisBackend HERE = PatientRedis.connect(ADDRESS.uri());
    private static final RedisBackend THERE = PatientRedis.connect(ADDRESS.uri());

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
