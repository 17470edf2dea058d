package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.RedisSentinels;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

/** By way of Sentinels, and with every grant on both replicas before it counts. */
class RedisSentinelLockStoreTest extends LockStoreContract {
    private static final RedisOptions OPTIONS = RedisOptions.of(
                    RedisSentinels.shared().uri())
            .withCommandTimeout(Duration.ofSeconds(60))
            .withReplicas(2, Duration.ofSeconds(20));

    private static final RedisBackend HERE = RedisBackend.connect(OPTIONS);
    private static final RedisBackend THERE = RedisBackend.connect(OPTIONS);

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
