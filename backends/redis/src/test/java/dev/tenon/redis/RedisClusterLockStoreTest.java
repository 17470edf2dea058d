package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.RedisCluster;
import org.junit.jupiter.api.AfterAll;

class RedisClusterLockStoreTest extends LockStoreContract {
    private static final RedisBackend HERE =
            PatientRedis.connect(RedisCluster.shared().uri());
    private static final RedisBackend THERE =
            PatientRedis.connect(RedisCluster.shared().uri());

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
