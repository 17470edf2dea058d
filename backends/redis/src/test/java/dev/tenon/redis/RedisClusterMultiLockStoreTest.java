package dev.tenon.redis;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import dev.tenon.testkit.RedisCluster;
import org.junit.jupiter.api.AfterAll;

class RedisClusterMultiLockStoreTest extends MultiLockStoreContract {
    private static final RedisBackend HERE =
            PatientRedis.connect(RedisCluster.shared().uri());
    private static final RedisBackend THERE =
            PatientRedis.connect(RedisCluster.shared().uri());

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
