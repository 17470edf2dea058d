package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.DistributedLockContract;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;

class RedisDistributedLockTest extends DistributedLockContract {
    private static final RedisAddress ADDRESS = RedisServer.shared();
    private static final RedisBackend HERE = PatientRedis.connect(ADDRESS.uri());
    private static final RedisBackend THERE = PatientRedis.connect(ADDRESS.uri());

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
