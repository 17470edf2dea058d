package dev.tenon.redis;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.WorkerIdSourceContract;
import org.junit.jupiter.api.AfterEach;

class RedisWorkerIdSourceTest extends WorkerIdSourceContract {
    private final RedisAddress address = RedisServer.shared();
    private final RedisBackend here = RedisBackend.connect(address.uri());
    private final RedisBackend there = RedisBackend.connect(address.uri());

    @Override
    protected WorkerIdSource source(String group) {
        return here.workerIds(group);
    }

    @Override
    protected WorkerIdSource otherSource(String group) {
        return there.workerIds(group);
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }
}
