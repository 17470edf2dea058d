package dev.tenon.redis;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;

class RedisMultiLockStoreTest extends MultiLockStoreContract {
    private static final RedisAddress ADDRESS = RedisServer.shared();
    private static final RedisBackend HERE = PatientRedis.connect(ADDRESS.uri());
    private static final RedisBackend THERE = PatientRedis.connect(ADDRESS.uri());

    @Override
    protected MultiLockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected MultiLockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
